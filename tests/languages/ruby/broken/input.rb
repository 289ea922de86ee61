class Before
  def whole(a)
    a
  end
end

class Damaged
  def first; end

  def
  end

  def half(a, (b
    a.each
  end
end

class After
  def whole
  end
end

class
