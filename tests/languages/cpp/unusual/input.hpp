#pragma once

namespace outer::inner {
inline namespace v1 {

/// Keeps one value.
template <typename T, int N = 3>
  requires Storable<T>
class API_EXPORT Box final : public Holder<T>, std::enable_shared_from_this<Box<T, N>> {
  Q_OBJECT
 public:
  Box() = default;
  template <class U> explicit Box(U&& value) : value_(std::forward<U>(value)) {}
  ~Box() override;

  operator bool() const { return true; }
  explicit operator T*() const { return nullptr; }
  T& operator [] (int index) { return value_; }
  void operator()(int, const char* = "()") const noexcept {}
  Box& operator=(Box&&) noexcept = default;
  void* operator new[](size_t size);
  friend bool operator<(const Box& a, const Box& b) { return false; }

  [[nodiscard]] constexpr auto value() const -> const T& { return value_; }
  void fill(T value) requires Copyable<T> { value_ = value; }
  void locked() LOCKS_EXCLUDED(mutex_) { done(); }
  virtual int (*callback(int code))(char) = 0;
  int (*pointer)(int) = 0;
  int declared(int a);

  class Iterator {
    void next() { struct Local { void run() {} } local; }
  };

 private:
  T value_;
};

template <>
struct Box<void, 0> { void nothing() {} };

}  // namespace v1
}  // namespace outer::inner

template <typename T>
template <typename U>
void outer::inner::Box<T>::put(U value) && {}

template <typename T>
outer::inner::Box<T>::operator int() const { return 1; }

template <> int convert<int>(double value) { return 0; }
template <typename... Args> void emit(Args&&... args) {}
long double operator""_km(long double value) { return value; }
Box::Box(int a) try : value_(a) {} catch (...) {}

template <typename T> concept Storable = requires(T value) { value.store(); };
template <typename T> using List = std::vector<T>;

typedef struct { void run() {} } Job;
class outer::Hidden { void show() {} };
extern "C" int from_c(void) { return 0; }
extern "C" { int also_from_c() { return 1; } }

BEGIN_TESTS
namespace tests {}
TEST(Box, HoldsOne) {
  FOREACH(x, xs) { check(x); }
  auto lambda = [](int x) { return x; };
}

#ifdef _WIN32
void Box::open(HANDLE handle) {
#else
void Box::open(int handle) {
#endif
  value_ = handle;
}

#define EACH(x, xs) \
  for (auto& x : xs)
