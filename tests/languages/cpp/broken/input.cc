/// Kept.
int before(int a) { return a; }

class Broken : public Base {
 public:
  int first() const { return 1 +; }
  void half(int b {
  }
  if (lost) { call(; }
  else (nothing) { }
  /// Kept too.
  void second() const { call(; }
};


namespace later {
class Next {
  int value() { return 1; }
};
}

} }

int after(std::vector<int> c) { return 0; }
