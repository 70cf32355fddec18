//===- MixedGraph.cpp - random graphs of all operations -------------------===//

#include "MixedGraph.h"

#include "RandomGraph.h"

#include "SizeDomain.h"

#include <optional>

using heddle::SizeBounds;

MixedGraph::MixedGraph(uint64_t seed, unsigned numRanges) : GraphWriter(seed), numRanges(numRanges) {
  static const char *const types[] = {"f32", "f32", "f32", "f16", "bf16", "f64"};
  type = types[pick(6)];
  const int64_t usual[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 33, 64};
  for (unsigned i = 0; i < 3; ++i)
    extents.push_back(usual[pick(14)]);
  if (numRanges > 0)
    extents[0] = Placeholder::n;
  if (numRanges > 1)
    extents[1] = Placeholder::m;
  if (numRanges > 1 && chance(30))
    extents[2] = chance(70) ? Placeholder::sum : Placeholder::more;
}

/// Returns the placeholder of which a size is a multiple, or nothing if there is none.
static std::optional<int64_t> placeholderIn(int64_t size) {
  for (int64_t each : {Placeholder::sum, Placeholder::n, Placeholder::m, Placeholder::more})
    if (size % each == 0)
      return each;
  return std::nullopt;
}

bool MixedGraph::isRange(int64_t size) const { return numRanges > 0 && placeholderIn(size); }

bool MixedGraph::hasRange(const Shape &shape) const {
  return std::any_of(shape.begin(), shape.end(), [&](int64_t size) { return isRange(size); });
}

bool MixedGraph::multiply(int64_t size, const Shape &shape) const {
  return !isRange(size) ||
         (numRanges > 1 && size <= Placeholder::m && size != Placeholder::more &&
          std::none_of(shape.begin(), shape.end(),
                       [&](int64_t other) {
                         return isRange(other) &&
                                (other % size == 0 || other == Placeholder::sum || other == Placeholder::more);
                       })) ||
         !hasRange(shape);
}

int64_t MixedGraph::elements(int64_t size) const {
  return isRange(size) ? size / *placeholderIn(size) * 16 : size;
}

int64_t MixedGraph::elements(const Shape &shape) const {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= elements(size);
  return count;
}

/// Returns `rank` random dimensions. A dimension is 1 or 2 if the extent that was drawn for it would make the number of
/// elements larger than 8192, or a product of sizes that `multiply` does not allow.
Shape MixedGraph::shapeOf(size_t rank) {
  Shape shape;
  while (shape.size() < rank) {
    int64_t size = extent();
    if (!multiply(size, shape) || elements(shape) * elements(size) > 8192)
      size = 1 + pick(2);
    shape.push_back(size);
  }
  return shape;
}

std::vector<GraphValue> MixedGraph::where(bool (*is)(const GraphValue &)) const {
  std::vector<GraphValue> found;
  std::copy_if(values.begin(), values.end(), std::back_inserter(found),
               [&](const GraphValue &value) { return !value.shape.empty() && is(value); });
  return found;
}

static bool isReal(const GraphValue &value) { return value.element.find('f') != std::string::npos; }
static bool isInteger(const GraphValue &value) { return !isReal(value) && value.element != "i1"; }

GraphValue MixedGraph::real() {
  std::vector<GraphValue> found = where(isReal);
  if (found.empty() || chance(15))
    return argument(shapeOf(1 + pick(4)), type);
  return tamed(found[chance(60) ? found.size() - 1 - pick(std::min<size_t>(3, found.size())) : pick(found.size())]);
}

GraphValue MixedGraph::real(const Shape &shape) {
  std::vector<GraphValue> found = where(isReal);
  found.erase(std::remove_if(found.begin(), found.end(), [&](const GraphValue &value) { return value.shape != shape; }),
              found.end());
  return found.empty() || chance(20) ? argument(shape, type) : tamed(found[pick(found.size())]);
}

GraphValue MixedGraph::realOfRank(size_t rank) {
  for (unsigned tries = 0; tries < 4; ++tries)
    if (GraphValue value = real(); value.shape.size() == rank)
      return value;
  return argument(shapeOf(rank), type);
}

GraphValue MixedGraph::exactReal() {
  std::vector<GraphValue> found = where([](const GraphValue &value) { return isReal(value) && value.exact; });
  return found.empty() || chance(30) ? argument(shapeOf(1 + pick(3)), type) : found[pick(found.size())];
}

GraphValue MixedGraph::integer() {
  std::vector<GraphValue> found = where(isInteger);
  if (!found.empty() && !chance(20))
    return found[pick(found.size())];
  static const char *const widths[] = {"i64", "i64", "i32", "i8"};
  return integer(shapeOf(1 + pick(3)), widths[pick(4)]);
}

/// Adds an integer argument whose values lie in a random range within -128..127.
GraphValue MixedGraph::integer(const Shape &shape, const std::string &element) {
  static const char *const ranges[] = {"0, 1", "0, 9", "-5, 5", "-128, 127", "1, 100"};
  return argument(shape, element, std::string(" {heddle.range = array<i64: ") + ranges[pick(5)] + ">}");
}

GraphValue MixedGraph::boolean(const Shape &shape) {
  std::vector<GraphValue> found;
  for (const GraphValue &value : values)
    if (value.element == "i1" && value.shape == shape)
      found.push_back(value);
  return found.empty() || chance(30) ? argument(shape, "i1") : found[pick(found.size())];
}

GraphValue MixedGraph::any() {
  std::vector<GraphValue> found = where([](const GraphValue &) { return true; });
  if (found.empty())
    return real();
  GraphValue value = found[pick(found.size())];
  return isReal(value) ? tamed(value) : value;
}

/// Returns |x| + `minimum`.
GraphValue MixedGraph::positive(const GraphValue &x, double minimum) {
  return withNumber("arith.addf", unary("math.absf", x), minimum);
}

GraphValue MixedGraph::within(const GraphValue &x) { return withNumber("arith.mulf", unary("math.tanh", x), 0.9); }

std::string MixedGraph::build() {
  argument(shapeOf(1 + pick(3)), type);
  for (unsigned steps = 2 + pick(9); steps > 0; --steps) {
    static const Step kinds[] = {&MixedGraph::floatStep, &MixedGraph::floatStep, &MixedGraph::integerStep,
                                 &MixedGraph::moveStep, &MixedGraph::layerStep, &MixedGraph::layerStep};
    (this->*kinds[pick(6)])();
  }
  std::vector<GraphValue> results = {values.back()};
  for (unsigned more = pick(4); more > 0; --more)
    results.push_back(values[pick(values.size())]);
  return withSizes(function(results));
}

/// Returns a module with the function, and annotations with the ranges of the sizes and of the sums that the function
/// uses.
std::string MixedGraph::withSizes(const std::string &function) {
  auto uses = [&](int64_t number) {
    std::string extent = std::to_string(number) + "x";
    return function.find("<" + extent) != std::string::npos || function.find("x" + extent) != std::string::npos;
  };
  std::string sizes, derived;
  auto add = [](std::string &list, SizeBounds bounds, const std::string &fields, const char *name, int64_t number) {
    list += std::string(list.empty() ? "{" : ", {") + fields + "high = " + std::to_string(bounds.high) +
            " : i64, low = " + std::to_string(bounds.low) + " : i64, name = \"" + name +
            "\", placeholder = " + std::to_string(number) + " : i64}";
  };
  static const SizeBounds ranges[] = {{1, 9}, {1, 40}, {16, 17}, {2, 33}};
  bool sum = uses(Placeholder::sum), more = uses(Placeholder::more);
  SizeBounds n = {1, 1}, m = {1, 1};
  // Sizes n and m are listed without calling `uses`, which would not find a size of which only multiples occur in the
  // function.
  if (numRanges > 0)
    add(sizes, n = ranges[pick(4)], "", "n", Placeholder::n);
  if (numRanges > 1)
    add(sizes, m = ranges[pick(4)], "", "m", Placeholder::m);
  if (sum)
    add(derived, {n.low + m.low, n.high + m.high}, "code = array<i64: 1, 0, 1, 1, 2, 0>, ", "n + m", Placeholder::sum);
  if (more)
    add(derived, {n.low + 2, n.high + 2}, "code = array<i64: 1, 0, 0, 2, 2, 0>, ", "n + 2", Placeholder::more);
  return sizes.empty() ? function
                       : "module attributes {heddle.sizes = [" + sizes + "]" +
                             (derived.empty() ? "" : ", heddle.derived = [" + derived + "]") + "} {\n" + function + "}\n";
}

std::string mixedGraph(uint64_t seed, unsigned numRanges) { return MixedGraph(seed, numRanges).build(); }
