@main def main(): Unit = println("a source to count")
