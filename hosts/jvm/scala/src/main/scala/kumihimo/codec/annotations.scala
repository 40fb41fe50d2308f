package kumihimo.codec

import scala.annotation.{Annotation, StaticAnnotation}

// What derivation reads off a type. All arguments are literals.

/** The name that stands in documents: of a field, or of a type among the types of a sealed trait. */
final class name(val value: String) extends Annotation with StaticAnnotation

/** Further names that are read, and never written. */
final class alias(val values: String*) extends Annotation with StaticAnnotation

/** Of a case class: `firstName` is `first_name`, and with other names likewise. `@name` goes before it. */
final class snakeCase extends Annotation with StaticAnnotation

/** Of a case class: `firstName` is `first-name`. */
final class kebabCase extends Annotation with StaticAnnotation

/** Of a case class: `firstName` is `FirstName`. */
final class pascalCase extends Annotation with StaticAnnotation

/**
 * Of a case class: a field of the document that the class does not have is an error. Without it such fields
 * are passed over.
 */
final class strict extends Annotation with StaticAnnotation

/**
 * Of a field of type `Value.Fields`: it keeps the fields of the document that the class does not have, with keys of
 * any kind, and writes them behind all others; but none by the name of a field of the class.
 */
final class rest extends Annotation with StaticAnnotation

/** Of a field with a default value: it has that value, and never stands in a document. */
final class omit extends Annotation with StaticAnnotation

/**
 * Of a case class or a field: empty collections and texts are left out of documents, and a document without
 * them is read as having them empty.
 */
final class elideEmpty extends Annotation with StaticAnnotation

/** Of a case class or a field: a field that has its default value is left out of documents. */
final class elideDefaults extends Annotation with StaticAnnotation

/** Of a case class or a field: `None` is written as null. Without it the field is left out. */
final class writeNone extends Annotation with StaticAnnotation

/**
 * Of a sealed trait: the type stands in a field beside the others, `{"type":"Dog","name":"Rex"}`; so it does
 * without an annotation, in the field `type`. None of its types may have a field of that name.
 */
final class discriminator(val field: String) extends Annotation with StaticAnnotation

/** Of a sealed trait: the type is the one key of a map, `{"Dog":{"name":"Rex"}}`. */
final class wrapped extends Annotation with StaticAnnotation

/** Of a sealed trait: type and value stand beside each other, `{"type":"Dog","value":{"name":"Rex"}}`. */
final class adjacent(val field: String, val content: String) extends Annotation with StaticAnnotation
