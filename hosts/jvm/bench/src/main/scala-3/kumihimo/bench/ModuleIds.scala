package kumihimo.bench

import kumihimo.codec.Codec

/** What the studies save and load: sbt's ModuleID in the form in which sbt 1 writes it, with all its fields; a
  * field without a value (None) is left out.
  */
final case class ModuleId(
    organization: String,
    name: String,
    revision: String,
    configurations: Option[String],
    isChanging: Boolean,
    isTransitive: Boolean,
    isForce: Boolean,
    explicitArtifacts: Vector[Artifact],
    inclusions: Vector[Rule],
    exclusions: Vector[Rule],
    extraAttributes: Map[String, String],
    crossVersion: String,
    branchName: Option[String]
) derives Codec

final case class Artifact(
    name: String,
    `type`: String,
    extension: String,
    classifier: Option[String],
    configurations: Vector[String],
    url: Option[String],
    extraAttributes: Map[String, String]
) derives Codec

final case class Rule(
    organization: String,
    name: String,
    artifact: String,
    configurations: Vector[String]
) derives Codec

object ModuleIds {

  /** The same for the same count: names as a large build has them, many of them of one organization. */
  def make(count: Int): Vector[ModuleId] =
    Vector.tabulate(count) { i =>
      ModuleId(
        organization = s"org.example.group${i % 97}",
        name = s"library-$i",
        revision = s"${i % 7}.${i % 31}.${i % 11}",
        configurations = None,
        isChanging = false,
        isTransitive = true,
        isForce = false,
        explicitArtifacts = Vector.empty,
        inclusions = Vector.empty,
        exclusions = Vector.empty,
        extraAttributes = Map.empty,
        crossVersion = "disabled",
        branchName = None
      )
    }
}
