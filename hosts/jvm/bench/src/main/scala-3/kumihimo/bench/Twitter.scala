package kumihimo.bench

import kumihimo.codec.Codec

/** The types of twitter.json: a search's answer. */
final case class Search(statuses: Vector[Status], search_metadata: SearchMetadata) derives Codec

final case class SearchMetadata(
    completed_in: Double,
    max_id: Long,
    max_id_str: String,
    next_results: String,
    query: String,
    refresh_url: String,
    count: Int,
    since_id: Long,
    since_id_str: String
) derives Codec

final case class StatusMetadata(result_type: String, iso_language_code: String) derives Codec

final case class Status(
    metadata: StatusMetadata,
    created_at: String,
    id: Long,
    id_str: String,
    text: String,
    source: String,
    truncated: Boolean,
    in_reply_to_status_id: Option[Long],
    in_reply_to_status_id_str: Option[String],
    in_reply_to_user_id: Option[Long],
    in_reply_to_user_id_str: Option[String],
    in_reply_to_screen_name: Option[String],
    user: User,
    geo: Option[String],
    coordinates: Option[String],
    place: Option[String],
    contributors: Option[String],
    retweeted_status: Option[Status],
    retweet_count: Int,
    favorite_count: Int,
    entities: Entities,
    favorited: Boolean,
    retweeted: Boolean,
    possibly_sensitive: Option[Boolean],
    lang: String
) derives Codec

final case class User(
    id: Long,
    id_str: String,
    name: String,
    screen_name: String,
    location: String,
    description: String,
    url: Option[String],
    entities: UserEntities,
    `protected`: Boolean,
    followers_count: Int,
    friends_count: Int,
    listed_count: Int,
    created_at: String,
    favourites_count: Int,
    utc_offset: Option[Int],
    time_zone: Option[String],
    geo_enabled: Boolean,
    verified: Boolean,
    statuses_count: Int,
    lang: String,
    contributors_enabled: Boolean,
    is_translator: Boolean,
    is_translation_enabled: Boolean,
    profile_background_color: String,
    profile_background_image_url: String,
    profile_background_image_url_https: String,
    profile_background_tile: Boolean,
    profile_image_url: String,
    profile_image_url_https: String,
    profile_banner_url: Option[String],
    profile_link_color: String,
    profile_sidebar_border_color: String,
    profile_sidebar_fill_color: String,
    profile_text_color: String,
    profile_use_background_image: Boolean,
    default_profile: Boolean,
    default_profile_image: Boolean,
    following: Boolean,
    follow_request_sent: Boolean,
    notifications: Boolean
) derives Codec

final case class UserEntities(url: Option[Links], description: Links) derives Codec

final case class Links(urls: Vector[Link]) derives Codec

final case class Link(url: String, expanded_url: String, display_url: String, indices: Vector[Int]) derives Codec

final case class Entities(
    hashtags: Vector[Hashtag],
    symbols: Vector[String],
    urls: Vector[Link],
    user_mentions: Vector[Mention],
    media: Option[Vector[Media]]
) derives Codec

final case class Hashtag(text: String, indices: Vector[Int]) derives Codec

final case class Mention(
    screen_name: String,
    name: String,
    id: Long,
    id_str: String,
    indices: Vector[Int]
) derives Codec

final case class Media(
    id: Long,
    id_str: String,
    indices: Vector[Int],
    media_url: String,
    media_url_https: String,
    url: String,
    display_url: String,
    expanded_url: String,
    `type`: String,
    sizes: Map[String, MediaSize],
    source_status_id: Option[Long],
    source_status_id_str: Option[String]
) derives Codec

final case class MediaSize(w: Int, h: Int, resize: String) derives Codec
