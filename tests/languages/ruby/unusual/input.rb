class Vector
  def ==(other)
    other.is_a?(self.class)
  end

  def [](index) end
  def []=(index, value) end
  def +@; end
  def call(...) = run(...)
  def name=(value); end
  def class; end

  def outer
    def inner; end
    Class.new do
      def unnamed; end
    end
  end

  if RUBY_VERSION > "3"
    def fast; end
  end

  def spread(
    first, # the first of all
    second: "a = b",
    third: nil
  )
  end

  def (a_proxy).wrapped; end
  def Other.made; end
end

object = Object.new

def object.shout; end
def self.main; end

module A
  module B
    class ::Top; end
    class A::C < Struct.new(:left, :right)
      def swap; end
    end
  end
end

module Helper
  module_function

  def assist; end
end

=begin
Written in a block.
=end
def documented; end

# Too far away.

def apart; end
value = 1 # about the value
def after; end
