require "set" if ENV["SETS"]
require File.join(__dir__, "computed")
other.require "not ours"

# A point in a plane.
Point = Struct.new(:x, :y) do
  # Its distance from the origin.
  def norm
    Math.sqrt(x * x + y * y)
  end
end

Shop::Refused = Class.new(Shop::Error)
Size = Data.define(:width, :height)
Loud = Module.new { def shout = upcase }
LIMIT = Integer.new(3)

class Report
  # The first member, and a call.
  private def rows(limit = 5)
  end

  memoize def heading; end
  register :csv, def to_csv; end

  define_method(:footer) { |page, total: 1| page }
  define_method("#{name}_body") { }
  define_method(name) { }

  class << self
    # Make one of them.
    def build(*)
    end
  end

  class << Registry
    def add; end
  end
end

Report.class_eval do
  def later; end
end

module Refinements
  refine String do
    def title; end
  end
end

logger.tap do
  def helper; end
end
