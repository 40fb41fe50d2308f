# frozen_string_literal: true

require_relative "helper"

class ActiveRecordTest < Minitest::Test
  include RailsHelper
  needs "active_support", "active_support/time", "sqlite3", "active_record"

  def setup
    super
    require_relative "models"
  end

  OPTIONS = [nil, {}, {only: [:id, :title]}, {only: %w[id price]}, {except: [:created_at, "notes"]}, {methods: [:label, :large?]}, {methods: :label, only: :title},
             {include: :author}, {include: {author: {only: :name, methods: :slug}}}, {root: true}, {root: "volume", only: :id}, {only: :title, except: :title},
             {include: [:author], except: :id, methods: "label"}, {only: []}, {only: nil}].freeze

  def test_records
    books = Book.order(:id).to_a
    OPTIONS.each { |options| books.each { |book| assert_same_as_stock(options.inspect) { book.to_json(options) } } }
  end

  def test_relations
    [Book.order(:id), Book.where(in_print: true).includes(:author), Book.none, Author.first.books].each do |relation|
      OPTIONS.each { |options| assert_same_as_stock(options.inspect) { relation.to_json(options) } }
    end
    [nil, {only: :name}, {methods: :slug, root: true}].each do |options|
      assert_same_as_stock { Author.order(:id).preload(:books).to_json(options) }
    end
    assert_same_as_stock { Author.order(:id).to_json(include: {books: {only: [:title, :price], methods: :label, include: {author: {only: :id}}}}) }
  end

  def test_queries
    assert_same_as_stock { Book.order(:id).pluck(:id, :title, :price, :created_at, :published_on, :details).to_json }
    assert_same_as_stock { Book.group(:in_print).count.to_json }
    assert_same_as_stock { Book.group(:author_id).sum(:price).to_json }
    assert_same_as_stock { Book.connection.select_all("select id, title, rating from books order by id").to_json }
    assert_same_as_stock { Book.order(:id).index_by(&:id).to_json }
    assert_same_as_stock { Book.order(:id).group_by(&:published_on).to_json(only: [:id, "2000-01-31"]) }
    assert_same_as_stock { {books: Book.order(:id), count: Book.count, first: Book.first, error: Book.new.errors}.to_json }
    assert_same_as_stock { Book.order(:id).select(:id, "upper(title) as loud").to_json }
    assert_same_as_stock { Book.first.attributes.to_json(except: "notes") }
    assert_same_as_stock { Book.first.changes.to_json }
  end

  def test_settings
    [["UTC", 3], ["Tokyo", 0], ["Hawaii", 6]].each do |zone, precision|
      Time.use_zone(zone) do
        before = ActiveSupport.time_precision
        ActiveSupport.time_precision = precision
        assert_same_as_stock(zone) { Book.order(:id).to_a.to_json }
      ensure
        ActiveSupport.time_precision = before
      end
    end
    Book.include_root_in_json = true
    assert_same_as_stock { Book.order(:id).to_a.to_json }
  ensure
    Book.include_root_in_json = false
  end

  def test_errors
    book = Book.new(pages: -1)
    refute_predicate book, :valid?
    [nil, {full_messages: true}, {only: :title}].each { |options| assert_same_as_stock { book.errors.to_json(options) } }
    assert_same_as_stock { book.errors.details.to_json }
    assert_same_as_stock { {errors: book.errors, details: book.errors.details, messages: book.errors.full_messages}.to_json }
    assert_same_as_stock { book.errors.map(&:message).to_json }
  end

  # What is in the database is stock's text, and comes back the same with either decoder.
  def test_json_columns
    values = [{"a" => "<b>\u2028", "t" => Time.utc(2020), "f" => 1e20, "n" => nil}, [1, "x"], "text", 1.5, true, nil, {}, [], {a: {b: :c}}, BigDecimal("1.50")]
    written = assert_same_as_stock do
      values.map do |value|
        book = Book.create!(title: "json", pages: 1, details: value)
        [Book.connection.select_value("select details from books where id = #{book.id}"), Book.find(book.id).details, Book.find(book.id).changed?]
      ensure
        book&.destroy
      end
    end
    Kumihimo::Rails.install_decoder
    values.zip(written) do |value, (text, read, _changed)|
      book = Book.create!(title: "json", pages: 1, details: value)
      assert_equal [text, read], [Book.connection.select_value("select details from books where id = #{book.id}"), Book.find(book.id).details], value.inspect
      refute_predicate Book.find(book.id), :changed?
      book.destroy
    end
  ensure
    Kumihimo::Rails.uninstall_decoder
  end

  def test_stores
    assert_same_as_stock do
      book = Book.create!(title: "store", pages: 1, shelf: "<Z>", color: 1.5)
      book.update!(color: ["red", nil])
      [Book.connection.select_value("select extra from books where id = #{book.id}"), Book.find(book.id).color]
    ensure
      book.destroy
    end
  end

  def test_from_json
    Kumihimo::Rails.install_decoder
    book = Book.new.from_json('{"title":"read","pages":3,"price":"1.5","details":{"a":[1]}}')
    assert_equal ["read", 3, BigDecimal("1.5"), {"a" => [1]}], [book.title, book.pages, book.price, book.details]
  ensure
    Kumihimo::Rails.uninstall_decoder
  end
end
