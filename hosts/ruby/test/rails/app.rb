# frozen_string_literal: true

# A small shop as a Rails application, run as a program of its own by app_test.rb: it serves on a free port of 127.0.0.1,
# says which on standard output, and stops when its standard input ends.
require "logger"
require "tmpdir"

# A file, as each thread of the server has a connection of its own, and with it a database of its own in memory.
folder = Dir.mktmpdir
at_exit { FileUtils.remove_entry(folder) }
ENV["DATABASE_URL"] = "sqlite3:#{folder}/shop.sqlite3"

require "rails"
require "action_controller/railtie"
require "active_record/railtie"
# What Debian packages and an application may use; without them their pages say so.
WITH = %w[jbuilder active_model_serializers action_cable].select do |library|
  require library
  true
rescue LoadError
  false
end
# The gem alone must do it, before Rails' classes are complete; SHOP_WITHOUT leaves it out.
require "kumihimo/rails" unless ENV["SHOP_WITHOUT"]
require "puma"
require "puma/server"

class Shop < Rails::Application
  config.root = __dir__
  config.eager_load = false
  config.secret_key_base = "shop" * 16
  config.logger = Logger.new(IO::NULL)
  config.hosts.clear if config.respond_to?(:hosts)
  config.time_zone = "Tokyo"
  config.consider_all_requests_local = true
  config.action_dispatch.cookies_serializer = :json
  config.session_store :cookie_store, key: "shop"
  unless ENV["SHOP_WITHOUT"]
    config.kumihimo.shadow = Float(ENV.fetch("SHOP_SHADOW", 0))
    config.kumihimo.decoder = ENV["SHOP_DECODER"] == "on"
  end
end

if WITH.include?("active_model_serializers")
  ActiveModelSerializers.logger = Logger.new(IO::NULL)

  class AuthorLineSerializer < ActiveModel::Serializer
    type "author"
    attributes :id, :name, :born_at, :slug
  end

  class BookLineSerializer < ActiveModel::Serializer
    type "book"
    attributes :id, :title, :price, :published_on, :created_at, :details, :markup
    belongs_to :author, serializer: AuthorLineSerializer

    def markup = "<b>#{object.title}</b>\u2028"
  end
end

class BooksController < ActionController::API
  wrap_parameters format: []

  def serialized
    return head(:not_implemented) unless WITH.include?("active_model_serializers")

    render json: Book.order(:id), each_serializer: BookLineSerializer, adapter: params.fetch(:adapter, "attributes").to_sym, key_transform: :unaltered
  end

  # What a channel would send.
  def broadcast
    return head(:not_implemented) unless WITH.include?("action_cable")

    render plain: ActiveSupport::JSON.encode(identifier: {channel: "BooksChannel"}.to_json, message: {book: Book.first, at: Time.at(0).utc, price: BigDecimal("9.90")})
  end

  # Rendered by the models themselves, with all their options.
  def variants
    book = Book.order(:id).first
    render json: [book.to_json, book.to_json(only: [:id, :price]), book.as_json(except: :created_at, methods: :label), book.to_json(include: {author: {only: :name}}, root: true),
                  Book.order(:id).to_json(methods: [:label, :large?], only: []), Book.order(:id).as_json(only: %w[price created_at]), book.serializable_hash(include: :author),
                  {sum: Book.sum(:price), average: Book.average(:rating), maximum: Book.maximum(:created_at), by: Book.group(:in_print).sum(:price)}]
  end

  def index
    render json: Book.order(:id)
  end

  def show
    render json: Book.find(params[:id]), include: {author: {only: [:name, :born_at], methods: :slug}}, methods: [:label, :large?], except: :notes
  end

  def titles
    render json: {titles: Book.order(:id).pluck(:id, :title).to_h, none: Book.none}
  end

  def create
    book = Book.new(params.require(:book).permit(:title, :pages, :price, details: {}))
    if book.valid?
      render json: book, only: [:title, :pages, :price, :details], status: :created
    else
      render json: {errors: book.errors, details: book.errors.details, messages: book.errors.full_messages}, status: :unprocessable_entity
    end
  end
end

class PagesController < ActionController::Base
  # A Jbuilder template.
  def template
    return head(:not_implemented) unless WITH.include?("jbuilder")

    @books = Book.order(:id)
    render inline: <<~JBUILDER, type: :jbuilder
      json.count @books.size
      json.total @books.sum(&:price)
      json.books @books do |book|
        json.extract! book, :id, :title, :price, :rating, :published_on, :created_at, :details
        json.markup "<b>\#{book.title}</b>\u2028"
        json.author(book.author, :name, :born_at) if book.author
        json.set! "slug & co", book.author&.slug
        json.merge!(large: book.large?)
      end
      json.array_of_times @books.map(&:created_at)
    JBUILDER
  end

  def mixed
    render json: {html: "<script>alert('&')</script>\u2028", at: Time.utc(2020, 1, 2, 3, 4, 5.678r), zone: Time.utc(2020).in_time_zone, date: Date.new(2020, 2, 29), wait: 3.days,
                  price: BigDecimal("1.10"), ratio: [1e20, 0.1, Float::NAN], range: 1..2, symbol: :"<b>", nil => nil, 1 => [Set[1], Struct.new(:a).new(1)], safe: "<i>".html_safe}
  end

  def list
    render json: [1, nil, "é", {"a" => [Author.order(:id).first]}]
  end

  def text
    render json: '{"already": "json"}'
  end

  def callback
    render json: {a: "</script>\u2029"}, callback: "app.receive"
  end

  def echo
    render json: {params: params.to_unsafe_h.except(:controller, :action), body: request.raw_post}
  end

  # A JSON session and JSON cookies, and what came with the request.
  def cookie
    seen = [session[:visits], cookies.signed[:choice]]
    session[:visits] = session[:visits].to_i + 1
    cookies.signed[:choice] = {value: {"html" => "<b>", "list" => [1, nil, 2.5]}}
    render json: {seen: seen}
  end

  def embedded
    render inline: "<script>var data = <%= raw json_escape(@data.to_json) %>; var again = <%= @data.to_json %></script>", locals: {}
  end
  before_action(only: :embedded) { @data = {"a" => "</script>", "b" => [1.5, Time.at(0).utc]} }

  # A value that no encoder writes.
  def broken
    render json: {text: "\xFF"}
  rescue JSON::GeneratorError => error
    render json: {error: JSON::GeneratorError === error}, status: 500
  end

  def encoder
    return render(plain: "without") unless defined?(Kumihimo)

    render plain: [Kumihimo::Rails.installed?, Kumihimo::Rails.decoder_installed?, ActiveSupport.json_encoder < Kumihimo::Rails::Shadow ? "shadow" : "plain"].join(" ")
  end
end

Shop.initialize!
require_relative "models"
Shop.routes.draw do
  resources :books, only: %i[index show create] do
    %i[titles serialized broadcast variants].each { |name| get name, on: :collection }
  end
  %i[template mixed list text callback cookie embedded broken encoder].each { |name| get "/#{name}", to: "pages##{name}" }
  post "/echo", to: "pages#echo"
end
ActionController::Base.allow_forgery_protection = false

# Before Puma 6 its events were its log.
server = Puma::Server.new(Shop, defined?(Puma::LogWriter) ? nil : Puma::Events.null, min_threads: 1, max_threads: 4)
server.add_tcp_listener("127.0.0.1", 0)
thread = server.run
$stdout.puts server.connected_ports.first
$stdout.flush
$stdin.read
server.stop(true)
thread.join
