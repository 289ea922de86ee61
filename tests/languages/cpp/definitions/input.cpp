#include <vector>
#include "shape.hpp"

using std::string;
using namespace geo::units;
namespace fs = std::filesystem;

namespace geo {

/// Anything with an area.
class Shape : public Base, private virtual Mixin<int> {
 public:
  using Base::Base;
  using Units = std::vector<double>;

  /// Starts at the origin.
  explicit Shape(double scale) : scale_(scale), name_{"shape"} {}
  Shape(const Shape&) = delete;
  virtual ~Shape() = default;

  /** Size of its surface. */
  virtual double area(int unit = 1) const = 0;
  double scaled(double by) const;
  bool operator==(const Shape& other) const { return scale_ == other.scale_; }
  static int count() { return 0; }

 private:
  struct Corner { int x, y; };
  enum { kLimit = 3 };
  double scale_ = 0;
};

// Twice as large.
double Shape::scaled(double by) const { return by; }

Shape::Shape(int side)
    : scale_(side),
      name_("square") {}

geo::Shape::~Shape() {}

template <typename T>
T largest(const std::vector<T>& values) {
  return values[0];
}

struct Point { int x; };
enum class Kind : unsigned char { kRound, kSquare };
union Value { int whole; double real; };
typedef std::vector<Point> Points;

void declared(int only);

}  // namespace geo

auto trail(int a) -> std::vector<int> { return {a}; }
const geo::Point& origin() { static geo::Point point; return point; }
