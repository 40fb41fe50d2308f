package kumihimo.bench

import java.nio.charset.StandardCharsets.UTF_8

/** Frames as the web socket of an exchange sends them, about 4 KB each: the keys, number of levels and spelling of
  * bench/frames.hpp. The two fields that are wanted stand at a tenth of a frame and at its end.
  */
object Frames {
  def make(count: Int): Array[Array[Byte]] = {
    val random = new java.util.Random(1)
    Array.tabulate(count)(i => frame(i, random).getBytes(UTF_8))
  }

  private def frame(number: Int, random: java.util.Random): String = {
    val price = 107910 + 5 * (random.nextInt(2001) - 1000)
    def amount = "%.4f".formatLocal(java.util.Locale.ROOT, (1 + random.nextInt(60000)) / 10000.0)
    def side(step: Int) = (1 to 20).map(i => s"[${price + i * step}.0, $amount]").mkString("[", ", ", "]")
    def trade(i: Int) = {
      val kind = if (random.nextBoolean()) "ask" else "bid"
      s"""{"currenty_pair": "btc_jpy", "trade_type": "$kind", "price": $price.0, "currency_pair": "btc_jpy", """ +
        s""""tid": ${1000000 + number - i}, "amount": $amount, "date": ${1482624000 - i}}"""
    }
    val trades = (0 until 20).map(trade).mkString("[", ", ", "]")
    def user = "\"%010x\"".format(random.nextInt() & 0x7fffffffL)
    val users = List.fill(1 + random.nextInt(18))(user).mkString("[", ", ", "]")
    val clock = "%02d:%02d:%02d".format(number / 3600 % 24, number / 60 % 60, number % 60)
    val time = s"2016-12-25 $clock.%06d".format(random.nextInt(1000000))
    s"""{"asks": ${side(5)}, "last_price": {"action": "ask", "price": $price.0}, "target_users": $users, """ +
      s""""trades": $trades, "bids": ${side(-5)}, "currency_pair": "btc_jpy", "timestamp": "$time"}"""
  }
}
