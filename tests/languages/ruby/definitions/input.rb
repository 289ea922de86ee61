# frozen_string_literal: true

require "json"
require_relative "../lib/shop/money"
autoload :Ledger, "shop/ledger"

# Everything that is sold.
module Shop
  TAX = 0.2

  # A basket of items.
  #
  # Kept until it is paid.
  class Cart < Base::Record
    include Enumerable
    attr_reader :items

    # Start with nothing in it.
    def initialize(owner, items = [], *rest, limit: 10, on:, **options, &block)
      @items = items
    end

    ##
    # Find the cart of a session.
    def self.find(id)
      new(id)
    end

    def empty? = items.empty?

    def total # without tax
      items.sum(&:price)
    end

    private

    def clear!
    end
  end

  class Error < StandardError; end
end

# Opened again, somewhere else.
class Shop::Cart
  def each
    yield 1
  end
end

def usage program, code = 1
  abort program
end
