# frozen_string_literal: true

require "active_record"

ActiveRecord::Base.establish_connection(ENV["DATABASE_URL"] || {adapter: "sqlite3", database: ":memory:"})
ActiveRecord::Migration.verbose = false

# A small shop in memory, with every kind of column.
ActiveRecord::Schema.define do
  create_table :authors do |t|
    t.string :name
    t.json :settings
    t.datetime :born_at
  end
  create_table :books do |t|
    t.references :author
    t.string :title
    t.text :notes
    t.integer :pages
    t.float :rating
    t.decimal :price, precision: 12, scale: 2
    t.boolean :in_print, default: true
    t.date :published_on
    t.time :opens_at
    t.binary :cover
    t.json :details
    t.text :extra
    t.timestamps
  end
end

class Author < ActiveRecord::Base
  has_many :books
  validates :name, presence: true, length: {minimum: 2}

  def slug
    name.to_s.downcase.tr(" ", "-")
  end
end

class Book < ActiveRecord::Base
  belongs_to :author, optional: true
  store :extra, accessors: %i[shelf color], coder: JSON

  validates :title, presence: true
  validates :pages, numericality: {greater_than: 0}

  def label
    "#{title} <#{author&.name}>"
  end

  def large?
    pages.to_i > 500
  end
end

ada = Author.create!(name: "Ada \u2028<Lovelace>", settings: {"theme" => "<dark>", "sizes" => [1, 2.5, nil]}, born_at: Time.utc(1815, 12, 10, 1, 2, 3.5))
bob = Author.create!(name: "Bob & Söhne", settings: nil)
12.times do |i|
  Book.create!(author: [ada, bob][i % 2], title: "Book \"#{i}\" <b>&", notes: "line\n\ttab \u{1F9F5}" * i, pages: i + 1, rating: [1.5, 1e20, 1e-7, 0.1][i % 4],
               price: BigDecimal("12.30") * i, in_print: i.even?, published_on: Date.new(2000 + i, 1, 31), opens_at: "12:34:56", cover: nil,
               details: {"i" => i, "tags" => ["<a>", nil, {"deep" => [1.5]}], "at" => "2020-01-02"}, shelf: "A#{i}", color: nil,
               created_at: Time.utc(2020, 1, 1, 0, 0, i, 123_456 + i), updated_at: Time.utc(2021, 6, 7, 8, 9, 10))
end
