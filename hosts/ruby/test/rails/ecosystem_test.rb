# frozen_string_literal: true

require_relative "helper"
require "logger"
require "set"

# The libraries around ActiveSupport that write and read JSON through it.

class ActiveModelTest < Minitest::Test
  include RailsHelper
  needs "active_support", "active_support/time", "active_support/json", "active_model"

  def setup
    super
    self.class.const_set(:Person, person) unless self.class.const_defined?(:Person, false)
  end

  def person
    Class.new do
      extend ActiveModel::Naming
      include ActiveModel::Serializers::JSON
      include ActiveModel::Validations
      attr_accessor :name, :age, :born, :friends, :address

      def self.name
        "Person"
      end

      validates :name, presence: true
      validates :age, numericality: true

      def initialize(**attributes)
        attributes.each { |key, value| public_send("#{key}=", value) }
      end

      def attributes
        {"name" => name, "age" => age, "born" => born}
      end

      def greeting
        "<hello> #{name}"
      end

      def tags
        [:a, {"b" => born}]
      end
    end
  end

  def one
    friend = self.class::Person.new(name: "b\u2028", age: nil, born: nil, friends: [], address: nil)
    self.class::Person.new(name: "<a>", age: 1.5, born: Time.utc(2000, 1, 2, 3, 4, 5.5r), friends: [friend, friend], address: friend)
  end

  OPTIONS = [nil, {}, {only: :name}, {only: %w[name age]}, {except: [:born]}, {methods: :greeting}, {methods: %w[greeting tags], only: []}, {include: :friends},
             {include: [:friends, :address]}, {include: {friends: {only: :name, methods: :greeting}, address: {include: :friends}}}, {root: true}, {root: :human, only: :age},
             {only: :name, except: :name, methods: [:tags]}].freeze

  def test_serialization
    OPTIONS.each do |options|
      assert_same_as_stock(options.inspect) { one.to_json(options) }
      assert_same_as_stock(options.inspect) { [one, {person: one}].to_json(options) }
      assert_same_as_stock(options.inspect) { ActiveSupport::JSON.encode(one.serializable_hash(options)) }
    end
  end

  def test_root
    self.class::Person.include_root_in_json = true
    OPTIONS.each { |options| assert_same_as_stock { one.to_json(options) } }
  ensure
    self.class::Person.include_root_in_json = false
  end

  def test_errors
    invalid = self.class::Person.new
    refute_predicate invalid, :valid?
    [nil, {full_messages: true}].each { |options| assert_same_as_stock { invalid.errors.to_json(options) } }
    assert_same_as_stock { {errors: invalid.errors, details: invalid.errors.details}.to_json }
  end
end

class JbuilderTest < Minitest::Test
  include RailsHelper
  needs "active_support", "active_support/all", "rails", "jbuilder"

  def test_jbuilder
    assert_same_as_stock do
      Jbuilder.encode do |json|
        json.title "<b> & \u2028"
        json.at Time.utc(2020, 1, 2, 3, 4, 5.678r)
        json.price BigDecimal("1.50")
        json.ratio 1e20
        json.author { json.name "a"; json.nothing nil }
        json.comments([{body: "<", at: Date.new(2020)}, {body: ">", at: nil}]) { |comment| json.call(comment, :body, :at) rescue json.merge!(comment) }
        json.array_of [1, [2, :s, 3.days]]
        json.merge!({"merged" => {a: 1..2}})
        json.set! :"odd key", Set[1]
      end
    end
    assert_same_as_stock { Jbuilder.new { |json| json.array!([1, "<", nil]) { |i| json.i i } }.target! }
  end
end

class MultiJsonTest < Minitest::Test
  include RailsHelper
  needs "active_support", "active_support/all", "multi_json"

  def test_multi_json
    documents = [{a: ["<", nil, 1.5, Time.at(0).utc]}, [1], "x", nil, {"k" => {b: :c}}]
    %i[json_gem ok_json].each do |adapter|
      MultiJson.with_adapter(adapter) do
        documents.each do |document|
          assert_same_as_stock("#{adapter} #{document}") { [outcome { MultiJson.dump(document) }, outcome { MultiJson.dump(document, pretty: true) }] }
        end
        before = MultiJson.load('{"a":[1,"\u003c"]}')
        Kumihimo::Rails.install_decoder
        assert_equal before, MultiJson.load('{"a":[1,"\u003c"]}')
        assert_raises(MultiJson::ParseError) { MultiJson.load("[1,}") }
      ensure
        Kumihimo::Rails.uninstall_decoder
      end
    end
  end
end

class MessagesTest < Minitest::Test
  include RailsHelper
  needs "active_support", "active_support/all", "active_support/message_verifier", "active_support/message_encryptor"

  DATA = {"user" => "<a>\u2028", "at" => Time.utc(2020), "n" => [1, nil, 1.5]}.freeze

  # As serializers of cookies and sessions are: dump and load over encode and decode, which only newer ones have themselves.
  def serializer
    Module.new do
      def self.dump(value)
        ActiveSupport::JSON.encode(value)
      end

      def self.load(text)
        ActiveSupport::JSON.decode(text)
      end
    end
  end

  def test_messages
    [false, true].each do |decoder|
      Kumihimo::Rails.install_decoder if decoder
      signed = assert_same_as_stock do
        verifier = ActiveSupport::MessageVerifier.new("s" * 64, serializer: serializer)
        [verifier.generate(DATA), verifier.verify(verifier.generate(DATA)), verifier.generate(DATA, purpose: :login, expires_at: Time.utc(2100))]
      end
      assert_equal ["<a>\u2028", "2020-01-01T00:00:00.000Z"], signed[1].values_at("user", "at")
      assert_same_as_stock do
        encryptor = ActiveSupport::MessageEncryptor.new("k" * 32, serializer: serializer)
        encryptor.decrypt_and_verify(encryptor.encrypt_and_sign(DATA))
      end
    end
  ensure
    Kumihimo::Rails.uninstall_decoder
  end
end

class CookiesTest < Minitest::Test
  include RailsHelper
  needs "active_support", "active_support/all", "active_support/key_generator", "active_support/messages/rotation_configuration", "action_dispatch", "action_dispatch/middleware/cookies"

  def jar(cookies = "")
    keys = ActiveSupport::CachingKeyGenerator.new(ActiveSupport::KeyGenerator.new("secret" * 8, iterations: 2))
    environment = Rack::MockRequest.env_for("http://example.org/", "HTTP_COOKIE" => cookies).merge(
      "action_dispatch.key_generator" => keys, "action_dispatch.cookies_serializer" => :json, "action_dispatch.secret_key_base" => "b" * 64,
      "action_dispatch.signed_cookie_salt" => "signed", "action_dispatch.encrypted_cookie_salt" => "encrypted",
      "action_dispatch.authenticated_encrypted_cookie_salt" => "authenticated", "action_dispatch.use_authenticated_cookie_encryption" => true,
      "action_dispatch.encrypted_signed_cookie_salt" => "encrypted signed", "action_dispatch.cookies_rotations" => ActiveSupport::Messages::RotationConfiguration.new,
      "action_dispatch.use_cookies_with_metadata" => true
    )
    ActionDispatch::Request.new(environment).cookie_jar
  end

  VALUE = {"id" => 5, "name" => "<a> & \u2028é", "list" => [1, nil, true, 1.5]}.freeze

  def test_cookies
    [false, true].each do |decoder|
      Kumihimo::Rails.install_decoder if decoder
      assert_same_as_stock do
        written = jar
        written.signed[:signed] = {value: VALUE}
        written.encrypted[:encrypted] = {value: VALUE}
        # 7.1 writes to a response, older ones to its headers.
        response = ActionDispatch::Response.new
        written.write(response.respond_to?(:set_cookie) && ActionPack.gem_version >= Gem::Version.new("7.1.0.a") ? response : response.headers)
        cookies = Array(response.headers["Set-Cookie"]).flat_map(&:lines).map { |line| line[/\A[^;]+/] }
        read = jar(cookies.join("; "))
        assert_equal [VALUE, VALUE], [read.signed[:signed], read.encrypted[:encrypted]]
        # An encrypted cookie begins with random bytes.
        cookies.grep(/\Asigned/)
      end
    end
  ensure
    Kumihimo::Rails.uninstall_decoder
  end
end

class ActionCableTest < Minitest::Test
  include RailsHelper
  needs "active_support", "active_support/all", "action_cable", "action_cable/subscription_adapter/test"

  MESSAGE = {"html" => "<p>&\u2028</p>", "at" => Time.utc(2020), "list" => [1, nil, {"a" => :b}]}.freeze

  def test_broadcasts
    assert_same_as_stock do
      configuration = ActionCable::Server::Configuration.new
      configuration.cable = {"adapter" => "test"}
      configuration.logger = Logger.new(IO::NULL)
      server = ActionCable::Server::Base.new(config: configuration)
      server.broadcast("room", MESSAGE)
      server.broadcast("room", "<text>")
      server.pubsub.broadcasts("room")
    end
  end

  # What a connection sends to the browser, and how it reads what the browser sends.
  def test_transmissions
    [false, true].each do |decoder|
      Kumihimo::Rails.install_decoder if decoder
      assert_same_as_stock do
        connection = ActionCable::Connection::Base.allocate
        sent = []
        connection.instance_variable_set(:@coder, ActiveSupport::JSON)
        connection.instance_variable_set(:@websocket, Object.new.tap { |socket| socket.define_singleton_method(:transmit) { |text| sent << text } })
        connection.transmit({identifier: "{\"channel\":\"Room\"}", message: MESSAGE})
        [sent, connection.send(:decode, sent[0])]
      end
    end
  ensure
    Kumihimo::Rails.uninstall_decoder
  end
end

class ParametersTest < Minitest::Test
  include RailsHelper
  needs "active_support", "active_support/all", "action_controller"

  def test_parameters
    parameters = ActionController::Parameters.new(user: {name: "<a>", tags: ["x", {deep: 1}]}, id: 5)
    assert_same_as_stock { outcome { parameters.to_json } }
    assert_same_as_stock { parameters.permit(:id, user: [:name, {tags: []}]).to_json }
    assert_same_as_stock { parameters.to_unsafe_h.to_json(only: "user") }
    assert_same_as_stock { {params: parameters.permit!}.to_json }
    assert_same_as_stock { [parameters.permit!.to_h, parameters[:user]].to_json(except: :name) }
  end

  def test_request_bodies
    request = lambda do |body|
      environment = Rack::MockRequest.env_for("http://example.org/", method: "POST", input: body, "CONTENT_TYPE" => "application/json",
                                               "action_dispatch.logger" => Logger.new(IO::NULL))
      ActionDispatch::Request.new(environment).request_parameters
    end
    bodies = ['{"a":{"b":[1,null,"x"]}}', "[1,2]", '"x"', '{"a":1.5e3}', "[", "{a:1}", '{"a":"\ud83d\ude00"}']
    stock = bodies.map { |body| outcome { request.call(body) } }
    Kumihimo::Rails.install_decoder
    assert_equal stock, bodies.map { |body| outcome { request.call(body) } }
  ensure
    Kumihimo::Rails.uninstall_decoder
  end
end
