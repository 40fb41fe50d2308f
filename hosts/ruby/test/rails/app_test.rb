# frozen_string_literal: true

require_relative "helper"
require "net/http"

# The application of app.rb over HTTP, as a process with stock's encoder and as one with ours: the same responses.
class AppTest < Minitest::Test
  include RailsHelper
  needs "active_support", "rails", "action_controller", "active_record", "sqlite3", "puma"

  # Headers that differ from request to request.
  VARIABLE = %w[date x-request-id x-runtime].freeze

  # Pages that need more than Rails: 501 without it.
  OPTIONAL = [[:get, "/template"], [:get, "/books/serialized"], [:get, "/books/serialized?adapter=json"], [:get, "/books/serialized?adapter=json_api"], [:get, "/books/broadcast"],
              [:get, "/books/variants"]].freeze

  REQUESTS = [
    [:get, "/books"], [:get, "/books/1"], [:get, "/books/12"], [:get, "/books/titles"], [:get, "/books/999"], [:get, "/mixed"], [:get, "/list"], [:get, "/text"],
    [:get, "/callback"], [:get, "/cookie"], *OPTIONAL, [:get, "/embedded"], [:get, "/broken"],
    [:post, "/books", '{"book":{"title":"<new> \u2028","pages":3,"price":"12.50","details":{"a":[1,null,{"b":1.5}]}}}'],
    [:post, "/books", '{"book":{"title":"","pages":-1}}'], [:post, "/books", "{}"], [:post, "/books", '{"book":'],
    [:post, "/echo", '{"a":{"b":[1,2.5,"\ud83d\ude00"]},"c":null,"d":"<&>"}'], [:post, "/echo", "[1,[2]]"], [:post, "/echo", '"text"'], [:post, "/echo", "nonsense"]
  ].freeze

  # Starts the application, gives its port to the block, and stops it.
  def serve(environment)
    paths = $LOAD_PATH.flat_map { |path| ["-I", path.to_s] }
    clean = {"SHOP_WITHOUT" => nil, "KUMIHIMO_RAILS_ENCODER" => nil, "KUMIHIMO_RAILS_DECODER" => nil, "RAILS_ENV" => "test", "SHOP_SHADOW" => nil, "SHOP_DECODER" => nil}
    Open3.popen3(clean.merge(environment), RbConfig.ruby, *paths, File.join(__dir__, "app.rb")) do |input, output, errors, process|
      messages = Thread.new { errors.read }
      port = output.gets.to_i
      flunk "the application does not start: #{messages.value}" if port.zero?
      result = Net::HTTP.start("127.0.0.1", port, read_timeout: 60) { |http| yield http }
      input.close
      assert process.value.success?, messages.value
      result
    end
  end

  # What the encoders are, and all responses.
  def visit(environment)
    serve(environment) do |http|
      responses = REQUESTS.map do |method, path, body|
        describe(body ? http.post(path, body, "Content-Type" => "application/json") : http.public_send(method, path))
      end
      [http.get("/encoder").body, responses << revisit(http)]
    end
  end

  # With the cookies of a first visit.
  def revisit(http)
    cookies = http.get("/cookie").get_fields("Set-Cookie").map { |line| line[/\A[^;]+/] }
    describe(http.get("/cookie", "Cookie" => cookies.join("; ")))
  end

  def describe(response)
    # A page about a wrong request shows the process's own objects.
    return [response.code] if %w[400 404].include?(response.code)

    headers = response.to_hash.except(*VARIABLE)
    # The session's cookie is encrypted: new random bytes each time.
    headers["set-cookie"]&.map! { |line| line.sub(/\Ashop=[^;]+/, "shop") }
    [response.code, headers, response.body]
  end

  def test_responses_are_stock_responses
    encoders, stock = visit("SHOP_WITHOUT" => "yes")
    assert_equal "without", encoders
    optional = stock.slice(REQUESTS.index(OPTIONAL[0]), OPTIONAL.size)
    OPTIONAL.zip(optional) { |request, response| puts "not proven: #{request[1]} of the Rails application (its gem is not installed)" if response[0] == "501" }
    assert_empty optional.map(&:first) - %w[200 501], optional.inspect[0, 2000]
    assert_equal %w[200 200 200 200 404 200 200 200 200 200 200 500 201 422 400 400 200 200 200 400 200], (stock - optional).map(&:first)
    assert_equal '{"seen":[1,{"html":"\u003cb\u003e","list":[1,null,2.5]}]}', stock.last[2]

    {"false false plain" => {"KUMIHIMO_RAILS_ENCODER" => "off"}, "true false plain" => {}, "true true shadow" => {"SHOP_SHADOW" => "1.0", "SHOP_DECODER" => "on"}}.each do |expected, environment|
      encoders, ours = visit(environment)
      assert_equal expected, encoders
      (REQUESTS + [:revisit]).zip(stock, ours) { |request, *responses| assert_equal(*responses, request.inspect) }
    end
  end
end
