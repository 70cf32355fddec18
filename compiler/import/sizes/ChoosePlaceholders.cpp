//===- ChoosePlaceholders.cpp - chooses placeholders of sizes -------------===//

#include "ChoosePlaceholders.h"

#include "Monomials.h"
#include "PlaceholderRules.h"

#include <random>

using namespace heddle;
using llvm::ArrayRef;
using llvm::SmallVector;

/// For each set that SizeSearch chooses, the largest placeholder of the first size. (Set 2 prefers twice a prime.)
/// Placeholders of all other sizes are at most a quarter of this number, so the product of five sizes and an extent of
/// a few hundred fits into 64 bits.
static constexpr int64_t largest[] = {4001, 1021, 2 * 769, 2003};
/// Returns the largest placeholder of the size with the index `number` in the set with the index `choice`.
static int64_t largestOf(int choice, size_t number) { return number == 0 ? largest[choice] : largest[choice] / 4; }

bool heddle::isPrime(int64_t number) {
  for (int64_t i = 2; i * i <= number; ++i)
    if (number % i == 0)
      return false;
  return number > 1;
}

/// Lower bounds of the placeholders of derived sizes. FunctionSearch tries them in this order; SizeSearch uses only the
/// last one. Placeholders should be larger than tiles, since lowerings may generate different loops for smaller
/// extents, but some models have no valid placeholders that are larger than tiles.
static constexpr int64_t minDerived[] = {400, 100, 5};

namespace {
/// The search for placeholders of a model in which no extent contains a function of sizes
/// (PlaceholderRules::functions). It processes one size after the other, assigns the largest possible placeholder to
/// each, and backtracks if it fails.
class SizeSearch {
public:
  SizeSearch(PlaceholderRules &rules, size_t count, int choice) : rules(rules), values(count), choice(choice) {}
  /// Returns the first set that `accept` accepts and in which the placeholder of every size is at least `minimum`;
  /// nothing if a limited number of attempts finds none. `strictly` determines which small numbers may divide
  /// placeholders of derived sizes (PlaceholderRules::accept).
  std::optional<Placeholders> run(int64_t minimum, bool strictly,
                                  llvm::function_ref<bool(const Placeholders &)> accept);

private:
  /// Chooses placeholders of the sizes from the index `number` on, and returns the complete set.
  std::optional<Placeholders> choose(size_t number);
  /// Returns the set with the placeholders `values` if it satisfies all rules and `accept` accepts it.
  std::optional<Placeholders> check();

  PlaceholderRules &rules;
  SmallVector<int64_t> values;
  // `choice` is the index of the set that is searched. `tries` is the number of checked sets, and `refused` is the
  // number of sets that `accept` rejected.
  int choice, tries = 0, refused = 0;
  size_t kept = 0;     // if the search failed, one of the first `kept` sizes needs a different placeholder
  bool strict = false; // the argument `strictly` of run()
  llvm::function_ref<bool(const Placeholders &)> accept;
  std::vector<SmallVector<int64_t>> candidates; // candidates of each size, in the order in which they are tried
};

/// The search for placeholders of a model in which extents contain functions of sizes, such as minima. Each function
/// has its own placeholder, which need not be the function's value at the placeholders of the sizes: for s in 1..9 with
/// the placeholder 3001, the placeholder of min(s, 4) may be 1907. A point is a combination of sizes together with the
/// values of the functions at these sizes. The search adds up points: a linear condition that holds at several points
/// also holds at their sum, except for its constant term.
class FunctionSearch {
public:
  FunctionSearch(PlaceholderRules &rules, const std::vector<ScopedSize> &sizes, int choice, bool isUnchecked)
      : rules(rules), sizes(sizes), random(unsigned(choice)) {
    for (const SizeExpression &function : rules.functions())
      functions.push_back({SizeEvaluator(function), isUnchecked || isIndependent(function)});
  }
  std::optional<Placeholders> run();

private:
  using Values = SmallVector<int64_t>;

  /// Returns a random number from 0 to `maximum` - 1.
  int64_t below(int64_t maximum) { return int64_t(random() % uint64_t(maximum)); }
  int64_t size(const SizeBounds &bounds);
  std::optional<Values> evaluate(Values at) const;
  std::optional<Values> point(bool inRanges);
  /// Whether the values of the sizes can be placeholders and differ from each other.
  bool areCandidates(const Values &values) const;
  bool moveSizes(Values &values, const Values &point);
  Values sum(ArrayRef<Values> points);
  bool isFarFromOthers(const Placeholders &placeholders) const;

  PlaceholderRules &rules;
  const std::vector<ScopedSize> &sizes;
  // The functions of sizes. The flag is true if the placeholder of the function need not be the function's value at the
  // other placeholders.
  std::vector<std::pair<SizeEvaluator, bool>> functions;
  std::mt19937 random; // a generator that gives the same numbers on every platform
};
} // namespace

std::optional<Placeholders> SizeSearch::check() {
  ++tries;
  std::optional<Placeholders> found = rules.holds(values) ? rules.accept(values, minDerived[2], strict) : std::nullopt;
  if (!found || accept(*found))
    return found;
  ++refused;
  return std::nullopt;
}

std::optional<Placeholders> SizeSearch::choose(size_t number) {
  constexpr int maxTries = 500, maxRefused = 20;
  kept = number;
  if (number == values.size())
    return check();
  size_t failing = 0; // each rejected candidate conflicts with one of the first `failing` sizes
  for (int64_t value : candidates[number]) {
    if (tries >= maxTries || refused >= maxRefused)
      break;
    values[number] = value;
    ArrayRef<int64_t> before = ArrayRef(values).take_front(number);
    const int64_t *same = llvm::find(before, value);
    std::optional<size_t> fails = rules.failsUpTo(number, values);
    if (same != before.end())
      fails = std::min(fails.value_or(number), size_t(same - before.begin()) + 1);
    if (fails) {
      failing = std::max(failing, *fails);
      continue;
    }
    if (std::optional<Placeholders> found = choose(number + 1))
      return found;
    if (kept <= number)
      return std::nullopt;
    failing = number;
  }
  kept = failing;
  return std::nullopt;
}

std::optional<Placeholders> SizeSearch::run(int64_t minimum, bool strictly,
                                            llvm::function_ref<bool(const Placeholders &)> acceptance) {
  strict = strictly;
  accept = acceptance;
  for (size_t number = 0; number < values.size(); ++number) {
    candidates.emplace_back();
    for (int64_t value = largestOf(choice, number); value >= minimum; --value)
      if (rules.isCandidate(number, value) && rules.holdsAlone(number, value))
        candidates.back().push_back(value);
    if (choice == 2) // candidates that are twice a prime are tried first
      llvm::sort(candidates.back(), [](int64_t a, int64_t b) { return std::pair(a % 2, -a) < std::pair(b % 2, -b); });
  }
  return choose(0);
}

/// Returns a random size. Small sizes are more frequent, since many of them can be added up.
int64_t FunctionSearch::size(const SizeBounds &bounds) {
  int64_t span = bounds.high - bounds.low + 1;
  switch (below(6)) {
  case 0:
    return bounds.low;
  case 1:
    return bounds.high;
  default:
    return bounds.low + below(below(2) ? span : std::min<int64_t>(span, 12));
  }
}

/// Returns the sizes `at`, followed by the values of the functions; nothing if a function has no value.
std::optional<FunctionSearch::Values> FunctionSearch::evaluate(Values at) const {
  Values values = at;
  for (const auto &[function, isAlone] : functions) {
    std::optional<int64_t> value = function.at(at);
    if (!value)
      return std::nullopt;
    // A placeholder that is independent of the others may be any number, so its absolute value is used.
    values.push_back(isAlone ? std::abs(*value) : *value);
  }
  return values;
}

/// Returns random sizes, followed by the values of the functions; nothing if a function has no value. Unless `inRanges`
/// is true, some sizes may lie outside their ranges, where conditions often hold as well.
std::optional<FunctionSearch::Values> FunctionSearch::point(bool inRanges) {
  Values at;
  for (const ScopedSize &scoped : sizes) {
    int64_t kind = inRanges ? 9 : below(10);
    at.push_back(kind == 0 ? 0 : kind == 1 ? below(64) : size(scoped.bounds));
  }
  return evaluate(std::move(at));
}

bool FunctionSearch::areCandidates(const Values &values) const {
  for (size_t i = 0; i < sizes.size(); ++i)
    if (!rules.isCandidate(i, values[i]) || llvm::is_contained(ArrayRef(values).take_front(i), values[i]))
      return false;
  return true;
}

/// Changes `values` until the values of the sizes can be placeholders, and returns whether this succeeded. Chooses at
/// random between adding `point` repeatedly, which preserves linear conditions, and changing only the sizes, which
/// suits models without such conditions.
bool FunctionSearch::moveSizes(Values &values, const Values &point) {
  constexpr int maxSteps = 300;
  bool isAlone = below(2);
  for (int step = 0; step < maxSteps && !isAlone; ++step) {
    if (areCandidates(values))
      return true;
    for (auto [value, more] : llvm::zip_equal(values, point))
      value += more;
  }
  for (size_t i = 0; i < sizes.size() && isAlone; ++i) {
    int64_t by = below(2) ? 1 : -1;
    for (int step = 0; step < maxSteps && values[i] > 2 && !rules.isCandidate(i, values[i]); ++step)
      values[i] += by;
  }
  return areCandidates(values);
}

/// Returns the sum of the first point and of multiples of a few random elements of `points`.
FunctionSearch::Values FunctionSearch::sum(ArrayRef<Values> points) {
  Values all = points.front();
  int64_t scale = int64_t(rules.firstChoice() ? 250 : 4000) << below(3);
  for (int64_t left = 1 + below(3); left > 0; --left) {
    const Values &other = points[size_t(below(int64_t(points.size())))];
    int64_t maximum = *std::max_element(other.begin(), other.begin() + sizes.size());
    int64_t times = 1 + below(std::max<int64_t>(scale / std::max<int64_t>(maximum, 1), 1));
    for (auto [value, more] : llvm::zip_equal(all, other))
      value += times * more;
  }
  return all;
}

/// For set 0, returns whether the placeholders of sizes are large. For every other set, returns whether the
/// placeholders of sizes and derived sizes are at most half of those of set 0 (isHidden exempts some of them). When the
/// code for two sets is compared, code that depends on the magnitude of a placeholder is then found.
bool FunctionSearch::isFarFromOthers(const Placeholders &placeholders) const {
  constexpr int64_t large = 2000;
  if (!rules.firstChoice())
    return llvm::all_of(placeholders.sizes, [](int64_t number) { return number >= large; });
  auto areSmaller = [&](auto &numbers, auto &first, size_t begin) {
    return llvm::all_of(llvm::seq<size_t>(0, numbers.size()),
                        [&](size_t i) { return rules.isHidden(begin + i) || 2 * numbers[i] <= first[i]; });
  };
  const Placeholders &first = *rules.firstChoice();
  return areSmaller(placeholders.sizes, first.sizes, 0) &&
         areSmaller(placeholders.derived, first.derived, sizes.size());
}

std::optional<Placeholders> FunctionSearch::run() {
  constexpr int maxPoints = 400, maxTries = 60000;
  std::vector<Values> inside, far;
  for (int i = 0; i < maxPoints; ++i) {
    if (std::optional<Values> values = point(/*inRanges=*/true))
      inside.push_back(*values);
    if (std::optional<Values> values = point(/*inRanges=*/false); values && rules.holdsFarOut(*values))
      far.push_back(*values);
  }
  if (inside.empty())
    return std::nullopt;
  if (far.empty())
    far = inside;
  for (int tries = 0; tries < maxTries; ++tries) {
    std::swap(far.front(), far[size_t(below(int64_t(far.size())))]);
    std::vector<Values> points{inside[size_t(below(int64_t(inside.size())))]};
    points.insert(points.end(), far.begin(), far.begin() + std::min<size_t>(far.size(), 4));
    Values values = sum(points);
    if (!moveSizes(values, far[size_t(below(int64_t(far.size())))]))
      continue;
    if (below(8) == 0) // sometimes tries the exact values of the functions at the placeholders of the sizes
      if (std::optional<Values> exact = evaluate(Values(ArrayRef(values).take_front(sizes.size()))))
        values = *exact;
    for (int64_t left = below(4); left > 0 && values.size() > sizes.size(); --left) {
      int64_t by = int64_t(1) << below(9);
      values[sizes.size() + size_t(below(int64_t(values.size() - sizes.size())))] += below(2 * by + 1) - by;
    }
    int third = tries * 3 / maxTries; // in the last third of the attempts, any valid set is accepted
    if (rules.holds(values))
      if (std::optional<Placeholders> found = rules.accept(values, minDerived[third], /*strictly=*/third < 2))
        if (third == 2 || isFarFromOthers(*found))
          return found;
  }
  return std::nullopt;
}

/// Chooses sets for a model without functions of sizes. The first two sets are searched together: for the first set
/// with the largest placeholders, there may be no second set that differs from it enough.
static std::vector<Placeholders> chooseSizes(PlaceholderRules &rules, size_t count, int maximum) {
  // Each placeholder should be at least as large as a tile, since lowerings generate different code for smaller
  // extents. Smaller minima are needed for models in which the sum of sizes has a small limit, such as the number of
  // rows of a table of position embeddings: the placeholders must satisfy this limit, too.
  constexpr int64_t minima[] = {128, 64, 32, 16, 8, 3}, smallest = minima[std::size(minima) - 1];
  auto any = [](const Placeholders &) { return true; };
  std::vector<Placeholders> chosen;
  std::optional<Placeholders> second;
  auto hasSecond = [&](int64_t minimum, bool strictly, const Placeholders &numbers) {
    rules.setFirst(&numbers);
    second = SizeSearch(rules, count, 1).run(minimum, strictly, any);
    rules.setFirst(nullptr);
    return second.has_value();
  };
  for (int strict : {2, 1, 0}) // `strictly` is true for both sets (2), only for the second (1), or for neither (0)
    for (int64_t minimum : minima)
      if (chosen.empty())
        if (auto first = SizeSearch(rules, count, 0).run(minimum, strict == 2, [&](const Placeholders &numbers) {
              return hasSecond(minimum, strict >= 1, numbers);
            }))
          chosen = {*first, *second};
  if (chosen.empty()) {
    if (auto first = SizeSearch(rules, count, 0).run(smallest, /*strictly=*/false, any))
      chosen.push_back(*first);
    return chosen;
  }
  const Placeholders first = chosen.front();
  rules.setFirst(&first);
  for (int choice = 2; choice < maximum; ++choice) {
    std::optional<Placeholders> other;
    for (bool strictly : {true, false})
      for (int64_t minimum : minima)
        if (!other)
          other = SizeSearch(rules, count, choice).run(minimum, strictly, any);
    if (other)
      chosen.push_back(*other);
  }
  return chosen;
}

std::vector<Placeholders> heddle::choosePlaceholders(const std::vector<ScopedSize> &sizes, ArrayRef<DerivedDim> derived,
                                                     ArrayRef<SizeExpression> required, ArrayRef<int64_t> fixed,
                                                     bool isUnchecked, int maximum) {
  PlaceholderRules rules(sizes, derived, required, fixed, isUnchecked);
  if (rules.functions().empty())
    return chooseSizes(rules, sizes.size(), maximum);
  std::vector<Placeholders> chosen;
  std::optional<Placeholders> first = FunctionSearch(rules, sizes, 0, isUnchecked).run();
  if (!first)
    return chosen;
  chosen.push_back(*first);
  rules.setFirst(&*first);
  for (int choice = 1; choice < maximum; ++choice)
    if (std::optional<Placeholders> other = FunctionSearch(rules, sizes, choice, isUnchecked).run())
      chosen.push_back(*other);
  return chosen;
}
