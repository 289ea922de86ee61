# Größe: names come after bytes that are no letters of ASCII
require "json/add/core"
require_relative "../shop/item"
autoload :Store, "shop/store"

CURRENCY, DIGITS = "€", 2
Shop::LIMIT ||= 20
$opened = 0

module Shop
  DEFAULT = Prices::List::EMPTY
  @@shops = 0

  class Basket < Model::Base
    include Enumerable, Events::Publishes
    extend Findable
    attr_reader :items, :owner
    private attr_accessor :total
    has_many :items, class_name: "Item"
    validates :owner, with: Checks::Owner
    rescue_from Closed
    RATE = 0.2
    @@count = 0
    before { @count = 1 }

    def initialize(items, tax: Rates::FULL)
      super(items)
      local = items
      @items = Items.new(local).freeze
    end

    def self.open(store) = new(store)

    def total(by = nil, &block)
      plain
      puts local, Shop::Text.format(by)
      items.map(&:price).each(&method(:log)).select { |item| item.new? && cheap?(item) }
      raise ArgumentError, "no #{name(by)}" unless by.is_a?(::Rate)
      case by
      when Integer then send(:sum, by)
      when Rates::Half then Float(by)
      end
      log :debug, respond_to?(:sum)
      block.call(self.class, key: Handler)
    rescue Errors::Broken, Timeout => error
      report error
    end

    alias sum total
    class << self
      attr_writer :store
      prepend Logged
    end
  end

  class Basket::Closed < StandardError; end
end

module Shop::Text; end
Shop::SIZES = [1, 2].freeze
class Pair < Struct.new(:left, :right); end
include Shop
extend Shop::Text

Point = Struct.new(:x, :y) do
  include Comparable
end

RSpec.describe Shop::Basket do
  it("adds") { expect(basket.total).to include(Shop::Item) }
end
