package kumihimo.bench

import kumihimo.codec.Codec

/** The types of citm_catalog.json. */
final case class Catalog(
    areaNames: Map[Int, String],
    audienceSubCategoryNames: Map[Int, String],
    blockNames: Map[Int, String],
    events: Map[Int, Event],
    performances: Vector[Performance],
    seatCategoryNames: Map[Int, String],
    subTopicNames: Map[Int, String],
    subjectNames: Map[Int, String],
    topicNames: Map[Int, String],
    topicSubTopics: Map[Int, Vector[Int]],
    venueNames: Map[String, String]
) derives Codec

final case class Event(
    description: Option[String],
    id: Int,
    logo: Option[String],
    name: String,
    subTopicIds: Vector[Int],
    subjectCode: Option[String],
    subtitle: Option[String],
    topicIds: Vector[Int]
) derives Codec

final case class Performance(
    eventId: Int,
    id: Int,
    logo: Option[String],
    name: Option[String],
    prices: Vector[Price],
    seatCategories: Vector[SeatCategory],
    seatMapImage: Option[String],
    start: Long,
    venueCode: String
) derives Codec

final case class Price(amount: Int, audienceSubCategoryId: Int, seatCategoryId: Int) derives Codec

final case class SeatCategory(areas: Vector[Area], seatCategoryId: Int) derives Codec

final case class Area(areaId: Int, blockIds: Vector[Int]) derives Codec

/** The types of canada.json: a border of 56,000 points. */
final case class Collection(`type`: String, features: Vector[Feature]) derives Codec

final case class Feature(`type`: String, properties: Map[String, String], geometry: Geometry) derives Codec

final case class Geometry(`type`: String, coordinates: Vector[Vector[(Double, Double)]]) derives Codec

/** The type of films.json's elements. */
final case class Film(
    id: String,
    directed_by: Vector[String],
    initial_release_date: Option[String],
    genre: Vector[String],
    name: String
) derives Codec

/** What a small message holds: about 100 bytes of JSON. */
final case class Order(
    id: Long,
    symbol: String,
    side: String,
    price: Double,
    quantity: Int,
    tags: Vector[String]
) derives Codec

/** Two of the fields of an exchange's frame (Frames), which has forty prices besides. */
final case class Frame(last_price: LastPrice, timestamp: String) derives Codec

final case class LastPrice(price: Double) derives Codec
