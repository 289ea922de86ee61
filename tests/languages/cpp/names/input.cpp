// „Zoo“ – 動物園: keeper() in a comment is not used.
#include "zoo/animals.hpp"
#include <vector>

using zoo::food::Hay;
using namespace std::literals;

namespace zoo {

class Keeper;
template <typename Food> struct Meal;

constexpr int kOldest = 40;
std::vector<Keeper> keepers{first_keeper()};
const Animal *Cage::latest = nullptr;
auto louder = [](int by) { int volume = by; return volume; };

template <typename Food, class Size = Small>
class Elephant final : public Animal, private virtual habits::Bathing<Food>, Loud {
 public:
  Elephant(int age) : Animal(age), trunk_(grow(age)) {}
  void eat(const Meal<Food> &meal) override;
  static constexpr int kLegs = 4;

 private:
  friend class Vet;
  enum class Mood : Level { kCalm, kWild };
  std::map<Name, food::Hay> liked_;
  Trunk trunk_, *spare_ = nullptr, &borrowed_;
  int (*on_noise_)(Noise);
};

template <typename Food, class Size>
void Elephant<Food, Size>::eat(const Meal<Food> &meal) {
  auto *bucket = new tools::Bucket<Water>(2);
  auto spot = Point{1, 2};
  meal.weigh<Kilo>(scale, &Elephant::chew, this->liked_, Mood::kCalm);
  zoo::food::serve(meal);
  std::make_unique<Nap>(static_cast<Hours>(meal));
  (*on_noise_)(spot);
  try {
    bucket->pour();
  } catch (const errors::Spilled &spilled) {
    throw Wet(dynamic_cast<Water *>(bucket));
  }
  std::thread cleaner(sweep);
  return Mood::kWild == spot ? Elephant::size<Food>() : typeid(Hay);
}

}  // namespace zoo
