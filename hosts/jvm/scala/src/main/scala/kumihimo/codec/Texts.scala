package kumihimo.codec

import java.nio.charset.StandardCharsets
import java.util.UUID

import kumihimo.scalar.NumberText

/** Values of text, no wider than what is written: the JDK's own methods take digits of all scripts, and more. */
private[codec] object Texts {

  /** The same text, which is a number by JSON's grammar.
   *
   * @throws java.lang.IllegalArgumentException
   *   for any other
   */
  def number(text: String): String = {
    val bytes = text.getBytes(StandardCharsets.UTF_8)
    if (!NumberText.isNumber(bytes, 0, bytes.length)) throw new IllegalArgumentException("not a number")
    text
  }

  def double(text: String): Double = text match {
    case "NaN" => Double.NaN
    case "Infinity" => Double.PositiveInfinity
    case "-Infinity" => Double.NegativeInfinity
    case _ =>
      val value = java.lang.Double.parseDouble(number(text))
      if (value.isInfinite) throw new IllegalArgumentException("larger than the largest double")
      value
  }

  def float(text: String): Float = text match {
    case "NaN" => Float.NaN
    case "Infinity" => Float.PositiveInfinity
    case "-Infinity" => Float.NegativeInfinity
    case _ =>
      val value = java.lang.Float.parseFloat(number(text))
      if (value.isInfinite) throw new IllegalArgumentException("larger than the largest float")
      value
  }

  /** A language by BCP 47; Locale.forLanguageTag drops what is none. */
  def language(tag: String): java.util.Locale = {
    new java.util.Locale.Builder().setLanguageTag(tag)
    java.util.Locale.forLanguageTag(tag)
  }

  /** `00000000-0000-0001-0000-000000000002`; UUID.fromString takes `1-1-1-1-1`, too. */
  def uuid(text: String): UUID = {
    var good = text.length == 36
    var i = 0
    while (good && i < 36) {
      val c = text.charAt(i)
      good = if (i == 8 || i == 13 || i == 18 || i == 23) c == '-' else c < 0x80 && Character.digit(c, 16) >= 0
      i += 1
    }
    if (!good) throw new IllegalArgumentException("not 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12")
    UUID.fromString(text)
  }
}
