//===- MixedGraph.cpp - graphs of all operations and types ----------------===//

#include "MixedGraph.h"

#include "RandomGraph.h"

MixedGraph::MixedGraph(uint64_t seed, int64_t stands) : GraphWriter(seed), stands(stands) {
  static const char *const types[] = {"f32", "f32", "f32", "f16", "bf16", "f64"};
  type = types[pick(6)];
  const int64_t usual[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 33, 64};
  for (unsigned i = 0; i < 3; ++i)
    extents.push_back(usual[pick(14)]);
  if (stands)
    extents[0] = stands;
}

bool MixedGraph::hasRange(const Shape &shape) const {
  return std::any_of(shape.begin(), shape.end(), [&](int64_t size) { return isRange(size); });
}

int64_t MixedGraph::elements(const Shape &shape) const {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= isRange(size) ? size / stands * 16 : size;
  return count;
}

/// A size in a range is one dimension of a tensor: a product of two would be its square.
Shape MixedGraph::shapeOf(size_t rank) {
  Shape shape;
  while (shape.size() < rank) {
    int64_t size = extent();
    if ((isRange(size) && hasRange(shape)) || elements(shape) * size > (isRange(size) ? stands * 512 : 8192))
      size = 1 + pick(2);
    shape.push_back(size);
  }
  return shape;
}

std::vector<Value> MixedGraph::where(bool (*is)(const Value &)) const {
  std::vector<Value> found;
  std::copy_if(values.begin(), values.end(), std::back_inserter(found),
               [&](const Value &value) { return !value.shape.empty() && is(value); });
  return found;
}

static bool isReal(const Value &value) { return value.element.find('f') != std::string::npos; }
static bool isInteger(const Value &value) { return !isReal(value) && value.element != "i1"; }

Value MixedGraph::real() {
  std::vector<Value> found = where(isReal);
  if (found.empty() || chance(15))
    return argument(shapeOf(1 + pick(4)), type);
  return tamed(found[chance(60) ? found.size() - 1 - pick(std::min<size_t>(3, found.size())) : pick(found.size())]);
}

Value MixedGraph::real(const Shape &shape) {
  std::vector<Value> found = where(isReal);
  found.erase(std::remove_if(found.begin(), found.end(), [&](const Value &value) { return value.shape != shape; }),
              found.end());
  return found.empty() || chance(20) ? argument(shape, type) : tamed(found[pick(found.size())]);
}

Value MixedGraph::realOfRank(size_t rank) {
  for (unsigned tries = 0; tries < 4; ++tries)
    if (Value value = real(); value.shape.size() == rank)
      return value;
  return argument(shapeOf(rank), type);
}

Value MixedGraph::exactReal() {
  std::vector<Value> found = where([](const Value &value) { return isReal(value) && value.exact; });
  return found.empty() || chance(30) ? argument(shapeOf(1 + pick(3)), type) : found[pick(found.size())];
}

Value MixedGraph::integer() {
  std::vector<Value> found = where(isInteger);
  if (!found.empty() && !chance(20))
    return found[pick(found.size())];
  static const char *const widths[] = {"i64", "i64", "i32", "i8"};
  return integer(shapeOf(1 + pick(3)), widths[pick(4)]);
}

/// A new one, of numbers of either sign that fit into a byte.
Value MixedGraph::integer(const Shape &shape, const std::string &element) {
  static const char *const ranges[] = {"0, 1", "0, 9", "-5, 5", "-128, 127", "1, 100"};
  return argument(shape, element, std::string(" {heddle.range = array<i64: ") + ranges[pick(5)] + ">}");
}

Value MixedGraph::boolean(const Shape &shape) {
  std::vector<Value> found;
  for (const Value &value : values)
    if (value.element == "i1" && value.shape == shape)
      found.push_back(value);
  return found.empty() || chance(30) ? argument(shape, "i1") : found[pick(found.size())];
}

Value MixedGraph::any() {
  std::vector<Value> found = where([](const Value &) { return true; });
  if (found.empty())
    return real();
  Value value = found[pick(found.size())];
  return isReal(value) ? tamed(value) : value;
}

/// |x| + least.
Value MixedGraph::positive(const Value &x, double least) {
  return withNumber("arith.addf", unary("math.absf", x), least);
}

Value MixedGraph::within(const Value &x) { return withNumber("arith.mulf", unary("math.tanh", x), 0.9); }

std::string MixedGraph::build() {
  argument(shapeOf(1 + pick(3)), type);
  for (unsigned steps = 2 + pick(9); steps > 0; --steps) {
    static const Step kinds[] = {&MixedGraph::floatStep, &MixedGraph::floatStep, &MixedGraph::integerStep,
                                 &MixedGraph::moveStep, &MixedGraph::layerStep, &MixedGraph::layerStep};
    (this->*kinds[pick(6)])();
  }
  std::vector<Value> results = {values.back()};
  for (unsigned more = pick(4); more > 0; --more)
    results.push_back(values[pick(values.size())]);
  std::string text = function(results);
  if (stands && text.find("tensor<" + std::to_string(stands)) == std::string::npos &&
      text.find("x" + std::to_string(stands)) == std::string::npos)
    return text; // no dimension happened to have it
  if (!stands)
    return text;
  static const char *const ranges[] = {"high = 9 : i64, low = 1 : i64", "high = 40 : i64, low = 1 : i64",
                                       "high = 17 : i64, low = 16 : i64", "high = 33 : i64, low = 2 : i64"};
  return std::string("module attributes {heddle.sizes = [{") + ranges[pick(4)] + ", name = \"n\", stands = " +
         std::to_string(stands) + " : i64}]} {\n" + text + "}\n";
}

std::string mixedGraph(uint64_t seed, bool ranges) { return MixedGraph(seed, ranges ? 4001 : 0).build(); }
