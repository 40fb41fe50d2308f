package kumihimo.bench

import sjsonnew.{Builder, JsonFormat, Unbuilder, deserializationError}
import sjsonnew.BasicJsonProtocol.given

/** Codecs of sjson-new as Contraband generates them: what its users have today. */
object SjsonFormats {

  given JsonFormat[Artifact] with {
    def write[J](x: Artifact, builder: Builder[J]): Unit = {
      builder.beginObject()
      builder.addField("name", x.name)
      builder.addField("type", x.`type`)
      builder.addField("extension", x.extension)
      builder.addField("classifier", x.classifier)
      builder.addField("configurations", x.configurations)
      builder.addField("url", x.url)
      builder.addField("extraAttributes", x.extraAttributes)
      builder.endObject()
    }
    def read[J](jsOpt: Option[J], unbuilder: Unbuilder[J]): Artifact = jsOpt match {
      case Some(js) =>
        unbuilder.beginObject(js)
        val name = unbuilder.readField[String]("name")
        val kind = unbuilder.readField[String]("type")
        val extension = unbuilder.readField[String]("extension")
        val classifier = unbuilder.readField[Option[String]]("classifier")
        val configurations = unbuilder.readField[Vector[String]]("configurations")
        val url = unbuilder.readField[Option[String]]("url")
        val extraAttributes = unbuilder.readField[Map[String, String]]("extraAttributes")
        unbuilder.endObject()
        Artifact(name, kind, extension, classifier, configurations, url, extraAttributes)
      case None => deserializationError("Expected JsObject but found None")
    }
  }

  given JsonFormat[Rule] with {
    def write[J](x: Rule, builder: Builder[J]): Unit = {
      builder.beginObject()
      builder.addField("organization", x.organization)
      builder.addField("name", x.name)
      builder.addField("artifact", x.artifact)
      builder.addField("configurations", x.configurations)
      builder.endObject()
    }
    def read[J](jsOpt: Option[J], unbuilder: Unbuilder[J]): Rule = jsOpt match {
      case Some(js) =>
        unbuilder.beginObject(js)
        val organization = unbuilder.readField[String]("organization")
        val name = unbuilder.readField[String]("name")
        val artifact = unbuilder.readField[String]("artifact")
        val configurations = unbuilder.readField[Vector[String]]("configurations")
        unbuilder.endObject()
        Rule(organization, name, artifact, configurations)
      case None => deserializationError("Expected JsObject but found None")
    }
  }

  given JsonFormat[ModuleId] with {
    def write[J](x: ModuleId, builder: Builder[J]): Unit = {
      builder.beginObject()
      builder.addField("organization", x.organization)
      builder.addField("name", x.name)
      builder.addField("revision", x.revision)
      builder.addField("configurations", x.configurations)
      builder.addField("isChanging", x.isChanging)
      builder.addField("isTransitive", x.isTransitive)
      builder.addField("isForce", x.isForce)
      builder.addField("explicitArtifacts", x.explicitArtifacts)
      builder.addField("inclusions", x.inclusions)
      builder.addField("exclusions", x.exclusions)
      builder.addField("extraAttributes", x.extraAttributes)
      builder.addField("crossVersion", x.crossVersion)
      builder.addField("branchName", x.branchName)
      builder.endObject()
    }
    def read[J](jsOpt: Option[J], unbuilder: Unbuilder[J]): ModuleId = jsOpt match {
      case Some(js) =>
        unbuilder.beginObject(js)
        val organization = unbuilder.readField[String]("organization")
        val name = unbuilder.readField[String]("name")
        val revision = unbuilder.readField[String]("revision")
        val configurations = unbuilder.readField[Option[String]]("configurations")
        val isChanging = unbuilder.readField[Boolean]("isChanging")
        val isTransitive = unbuilder.readField[Boolean]("isTransitive")
        val isForce = unbuilder.readField[Boolean]("isForce")
        val explicitArtifacts = unbuilder.readField[Vector[Artifact]]("explicitArtifacts")
        val inclusions = unbuilder.readField[Vector[Rule]]("inclusions")
        val exclusions = unbuilder.readField[Vector[Rule]]("exclusions")
        val extraAttributes = unbuilder.readField[Map[String, String]]("extraAttributes")
        val crossVersion = unbuilder.readField[String]("crossVersion")
        val branchName = unbuilder.readField[Option[String]]("branchName")
        unbuilder.endObject()
        ModuleId(
          organization,
          name,
          revision,
          configurations,
          isChanging,
          isTransitive,
          isForce,
          explicitArtifacts,
          inclusions,
          exclusions,
          extraAttributes,
          crossVersion,
          branchName
        )
      case None => deserializationError("Expected JsObject but found None")
    }
  }
}
