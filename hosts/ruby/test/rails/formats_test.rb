# frozen_string_literal: true

# Binary formats by content type, in an application of Rails. What there is, Kumihimo.formats says: no format is named here.
require_relative "helper"
require "kumihimo"
require "logger"

class FormatsTest < Minitest::Test
  include RailsHelper
  needs "active_support", "rails", "action_controller"

  FORMATS = Kumihimo.formats.reject { |format| format[:text] }
  NAMES = FORMATS.map { |format| format[:name] }

  def self.application
    @application ||= begin
      require "rails"
      require "action_controller/railtie"
      require "rack/mock"
      before = [ActionDispatch::Request.parameter_parsers, ActionController::Renderers::RENDERERS.to_a]
      require "kumihimo/rails/formats"
      shop = Class.new(Rails::Application) do
        config.root = __dir__
        config.eager_load = false
        config.secret_key_base = "shop" * 16
        config.logger = Logger.new(IO::NULL)
        config.hosts.clear if config.respond_to?(:hosts)
        config.time_zone = "Tokyo"
        config.consider_all_requests_local = true
      end
      Object.const_set(:FormatsShop, shop)
      Object.const_set(:ThingsController, controller)
      shop.initialize!
      shop.routes.draw do
        get "/thing/:as", to: "things#thing"
        get "/asked", to: "things#asked"
        get "/broken/:as", to: "things#broken"
        post "/echo", to: "things#echo"
      end
      [shop, before]
    end
  end

  def self.controller
    Class.new(ActionController::API) do
      include ActionController::MimeResponds

      def thing
        options = params[:dialect] ? { dialect: params[:dialect] } : {}
        object = { price: BigDecimal("1.10"), at: Time.utc(2020, 1, 2).in_time_zone, 1 => [nil, :symbol, Float::NAN], only: Struct.new(:a, :b).new(1, 2) }
        case params[:kind]
        when "options" then render params[:as].to_sym => { "a" => 1, "b" => 2 }, only: "a"
        when "bytes" then render params[:as].to_sym => "\x01".b, status: :created
        when "text" then render params[:as].to_sym => "text"
        when "typed" then render params[:as].to_sym => [1], content_type: "application/x-own"
        else render params[:as].to_sym => object, **options
        end
      end

      def asked
        respond_to do |as|
          as.json { render json: { as: "json" } }
          Kumihimo.formats.each do |format|
            name = format[:name].to_sym
            as.public_send(name) { render name => { as: format[:name] } } unless format[:text]
          end
        end
      end

      def broken
        render params[:as].to_sym => ["\xFF"]
      rescue Kumihimo::GeneratorError
        head 418
      end

      def echo
        render json: params.to_unsafe_h.except(:controller, :action, :thing, :format)
      end
    end
  end

  # Not the helper's, which installs the encoder: these are two choices.
  def setup
    reason = self.class.missing
    skip "not proven: #{reason}" if reason
    @application, @before = self.class.application
    @http = Rack::MockRequest.new(@application)
  end

  def test_rendering
    FORMATS.each do |format|
      name = format[:name]
      got = @http.get("/thing/#{name}")
      expected = { "price" => "1.1", "at" => "2020-01-02T09:00:00.000+09:00", "1" => [nil, "symbol", nil], "only" => { "a" => 1, "b" => 2 } }
      got_value = Kumihimo.load(got.body.b, format: name)
      # A Struct's as_json is a Hash from ActiveSupport 7.0 on, a String before.
      assert_equal expected.except("only"), got_value.except("only")
      assert_equal [200, format[:media_types][0]], [got.status, got["Content-Type"]]
      assert_equal({ "a" => 1 }, Kumihimo.load(@http.get("/thing/#{name}?kind=options").body.b, format: name))
      bytes = @http.get("/thing/#{name}?kind=bytes")
      assert_equal [201, "\x01".b], [bytes.status, bytes.body.b]
      assert_equal "text", Kumihimo.load(@http.get("/thing/#{name}?kind=text").body.b, format: name)
      assert_match(%r{\Aapplication/x-own}, @http.get("/thing/#{name}?kind=typed")["Content-Type"])
      dialect = format[:write_dialects][0]
      assert_equal got.body.b, @http.get("/thing/#{name}?dialect=#{dialect}").body.b
      assert_equal 418, @http.get("/broken/#{name}").status
    end
  end

  def test_what_is_asked_for
    FORMATS.each do |format|
      format[:media_types].each do |type|
        got = @http.get("/asked", "HTTP_ACCEPT" => type)
        assert_equal format[:media_types][0], got["Content-Type"]
        assert_equal [200, { "as" => format[:name] }], [got.status, Kumihimo.load(got.body.b, format: format[:name])], type
      end
    end
    assert_equal '{"as":"json"}', @http.get("/asked", "HTTP_ACCEPT" => "application/json").body
    assert_equal 406, @http.get("/asked", "HTTP_ACCEPT" => "image/png").status
  end

  def test_bodies
    value = { "a" => { "b" => [1, 2.5, "é"] }, "c" => nil }
    FORMATS.each do |format|
      name = format[:name]
      format[:media_types].each do |type|
        assert_equal value, echoed(Kumihimo.dump(value, format: name), type)
        assert_equal({ "_json" => [1, [2]] }, echoed(Kumihimo.dump([1, [2]], format: name), type))
      end
      type = format[:media_types][0]
      assert_equal({ "1" => { "2" => "x" } }, echoed(Kumihimo.dump({ 1 => { 2 => "x" } }, format: name), type))
      whole = Kumihimo.dump(value, format: name)
      deep = 101.times.inject(1) { |inner, _| [inner] }
      [whole.byteslice(0..-2), Kumihimo.dump(deep, format: name), Kumihimo.pack(whole, "gzip")].each do |bad|
        assert_equal 400, @http.post("/echo", input: bad, "CONTENT_TYPE" => type).status
      end
    end
    assert_equal value, echoed(value.to_json, "application/json")
    assert_equal 400, @http.post("/echo", input: "{", "CONTENT_TYPE" => "application/json").status
  end

  # What was there stays what it was.
  def test_nothing_else_changes
    parsers, renderers = @before
    parsers.each { |name, parser| assert_same parser, ActionDispatch::Request.parameter_parsers[name] }
    assert_equal renderers + NAMES.map(&:to_sym), ActionController::Renderers::RENDERERS.to_a
    refute defined?(Kumihimo::Rails::Encoder) && ActiveSupport.json_encoder < Kumihimo::Rails::Encoder
  end

  private

  def echoed(body, type)
    got = @http.post("/echo", input: body, "CONTENT_TYPE" => type)
    assert_equal 200, got.status, got.body[0, 500]
    JSON.parse(got.body)
  end
end
