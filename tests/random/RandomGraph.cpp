//===- RandomGraph.cpp - random graphs of parts of transformers -----------===//

#include "RandomGraph.h"

#include "GraphWriter.h"

namespace {

/// Writes parts of transformers as exporters decompose them, in random forms. Some parts differ slightly from the form
/// that Heddle recognises as a layer. Such a part must not be mistaken for the layer. Many dimensions are equal, so
/// that shapes do not show which dimension a step uses.
class Graph : GraphWriter {
public:
  explicit Graph(uint64_t seed) : GraphWriter(seed) {
    const int64_t usual[] = {2, 3, 4, 4, 5, 8, 16, 17};
    size = usual[pick(8)];
  }
  std::string build();

private:
  GraphValue spread(const GraphValue &x, const Shape &shape, int64_t dimension);
  GraphValue fitting(const Shape &shape);
  GraphValue activation(const GraphValue &x);
  GraphValue norm(const GraphValue &x);
  GraphValue attention();
  GraphValue featureMap(const GraphValue &x);
  GraphValue linearAttention();
  GraphValue linear(const GraphValue &x);
  Shape someShape();
  GraphValue matrix();
  void step();

  int64_t size; // The size of most dimensions.
};

} // namespace

/// Returns a value of this shape: an existing one, one that can be reshaped or transposed, or a new input.
GraphValue Graph::fitting(const Shape &shape) {
  std::vector<GraphValue> same, reshaped;
  for (const GraphValue &value : values) {
    if (value.shape == shape)
      same.push_back(value);
    else if (countOf(value.shape) == countOf(shape))
      reshaped.push_back(value);
  }
  if (!same.empty() && chance(70)) {
    GraphValue value = same[pick(same.size())];
    bool square = shape.size() >= 2 && shape.back() == shape[shape.size() - 2];
    if (!square || !chance(25))
      return tamed(value);
    std::vector<int64_t> permutation(shape.size());
    for (size_t i = 0; i < permutation.size(); ++i)
      permutation[i] = i;
    std::swap(permutation[shape.size() - 1], permutation[shape.size() - 2]);
    return transpose(tamed(value), permutation);
  }
  if (!reshaped.empty() && chance(50))
    return reshape(tamed(reshaped[pick(reshaped.size())]), shape);
  return argument(shape);
}

/// Returns a shape with two to four dimensions.
Shape Graph::someShape() {
  static const int64_t few[] = {1, 2, 3};
  auto extent = [&] { return chance(75) ? size : few[pick(3)]; };
  Shape shape = {chance(85) ? size : extent(), chance(90) ? size : 2 * size};
  for (unsigned more = pick(3); more > 0; --more)
    shape.insert(shape.begin(), size > 8 ? few[pick(3)] : extent());
  return shape;
}

/// Returns a value with at least two dimensions.
GraphValue Graph::matrix() {
  for (unsigned tries = 0; tries < 4; ++tries)
    if (GraphValue value = some(); value.shape.size() >= 2)
      return value;
  return argument(someShape());
}

/// Applies a random activation function to x.
GraphValue Graph::activation(const GraphValue &x) {
  double wrong = chance(10) ? 0.5 : 1.0; // With a wrong factor, Heddle must not recognise the function.
  switch (pick(9)) {
  case 0: {
    GraphValue inner =
        chance(50) ? withNumber("arith.mulf", x, 0.70710678 * wrong) : withNumber("arith.divf", x, 1.41421356 * wrong);
    GraphValue gate = withNumber("arith.addf", unary("math.erf", inner), 1);
    return chance(50) ? binary("arith.mulf", withNumber("arith.mulf", x, 0.5), gate)
                      : withNumber("arith.mulf", binary("arith.mulf", x, gate), 0.5);
  }
  case 1: {
    GraphValue cube = binary("arith.mulf", binary("arith.mulf", x, x), x);
    GraphValue sum = binary("arith.addf", x, withNumber("arith.mulf", cube, 0.044715 * wrong));
    GraphValue gate = withNumber("arith.addf", unary("math.tanh", withNumber("arith.mulf", sum, 0.7978845608)), 1);
    return binary("arith.mulf", withNumber("arith.mulf", x, 0.5), gate);
  }
  case 2:
  case 3: {
    GraphValue divisor = withNumber("arith.addf", unary("math.exp", unary("arith.negf", x)), wrong);
    if (chance(50))
      return binary("arith.divf", x, divisor);
    return binary("arith.mulf", x, withNumber("arith.divf", divisor, 1, /*swap=*/true));
  }
  case 4:
    return withNumber("arith.maximumf", x, 0, chance(50));
  case 5: {
    std::string zero = splat(0, x.shape), condition = fresh();
    bool below = chance(50);
    body += "  " + condition + " = arith.cmpf " + (below ? "olt, " : "ugt, ") + x.name + ", " + zero + " : " +
            typeOf(x.shape) + "\n";
    return below ? select(condition, zero, x.name, x.shape) : select(condition, x.name, zero, x.shape);
  }
  case 6:
    return unary("math.tanh", x);
  case 7:
    return unary(chance(50) ? "math.absf" : "arith.negf", x);
  default:
    return featureMap(x);
  }
}

/// Returns elu(x) + 1, in one of the forms that exporters write.
GraphValue Graph::featureMap(const GraphValue &x) {
  std::string zero = splat(0, x.shape), condition = fresh();
  GraphValue below = chance(50) ? unary("math.expm1", x) : withNumber("arith.subf", unary("math.exp", x), 1);
  body += "  " + condition + " = arith.cmpf ogt, " + x.name + ", " + zero + " : " + typeOf(x.shape) + "\n";
  return withNumber("arith.addf", select(condition, x.name, below.name, x.shape), 1);
}

/// Broadcasts x to `shape` along the new dimension `dimension`.
GraphValue Graph::spread(const GraphValue &x, const Shape &shape, int64_t dimension) {
  return broadcast(x, shape, {dimension});
}

/// Adds a layer norm or a root mean square norm. Some of its steps may use another dimension; then the result is not a
/// norm.
GraphValue Graph::norm(const GraphValue &x) {
  int64_t last = x.shape.size() - 1;
  auto dimension = [&] {
    int64_t other = last > 0 && x.shape[last] == x.shape[last - 1] ? last - 1 : last;
    return chance(6) ? other : last;
  };
  auto mean = [&](const GraphValue &value) {
    int64_t along = dimension();
    return withNumber("arith.divf", rowSum(value, along), double(value.shape[along]) - (chance(4) ? 0.5 : 0));
  };
  GraphValue centred = x;
  if (chance(60))
    centred = binary("arith.subf", x, spread(mean(x), x.shape, dimension()));
  GraphValue squared = chance(5) ? fitting(x.shape) : centred;
  GraphValue variance = mean(binary("arith.mulf", squared, squared));
  GraphValue shifted = withNumber("arith.addf", variance, chance(50) ? 0.01 : 0.5);
  GraphValue normal;
  switch (pick(3)) {
  case 0:
    normal = binary("arith.divf", centred, spread(unary("math.sqrt", shifted), x.shape, dimension()));
    break;
  case 1:
    normal = binary("arith.mulf", centred, spread(unary("math.rsqrt", shifted), x.shape, dimension()));
    break;
  default:
    GraphValue inverse = withNumber("arith.divf", unary("math.sqrt", shifted), 1, /*swap=*/true);
    normal = binary("arith.mulf", centred, spread(inverse, x.shape, dimension()));
  }
  normal = scaled(normal, 2);
  for (const char *op : {"arith.mulf", "arith.addf"}) {
    if (!chance(60))
      break;
    std::vector<int64_t> repeated;
    int64_t kept = dimension();
    for (int64_t dim = 0; dim <= last; ++dim)
      if (dim != kept)
        repeated.push_back(dim);
    GraphValue row = chance(70) ? weight({x.shape[kept]}) : argument({x.shape[kept]});
    normal = binary(op, normal, repeated.empty() ? row : broadcast(row, x.shape, repeated));
  }
  return normal;
}

/// Adds softmax(scale q k^T + bias, masked) v. Most of the matrices are square.
GraphValue Graph::attention() {
  GraphValue q = matrix();
  int64_t d = q.shape.back(), rows = q.shape[q.shape.size() - 2], keys = chance(80) ? rows : 2 * rows;
  Shape batch(q.shape.begin(), q.shape.end() - 2), keyShape = batch, valueShape = batch, scoreShape = batch;
  keyShape.insert(keyShape.end(), {keys, d});
  valueShape.insert(valueShape.end(), {keys, chance(80) ? d : 2 * d});
  scoreShape.insert(scoreShape.end(), {rows, keys});
  GraphValue k = fitting(keyShape);
  bool square = keys == d, squareQuery = rows == d;
  GraphValue s = product(q, k, chance(80) || !square ? 2 : (squareQuery ? pick(4) : 0));
  scoreShape = s.shape;
  if (chance(60))
    s = withNumber(chance(50) ? "arith.mulf" : "arith.divf", s, chance(50) ? 0.5 : 2);
  if (chance(10))
    s = withNumber("arith.mulf", unary("math.tanh", withNumber("arith.divf", s, 3)), 3);
  if (chance(30))
    s = binary("arith.addf", s, fitting(scoreShape));
  if (chance(30)) {
    std::string mask = "%a" + std::to_string(arguments.size());
    arguments.push_back(mask + ": " + typeOf(scoreShape, "i1"));
    std::string low = splat(-30, scoreShape); // The masked score is finite, so each query has keys.
    s = chance(70) ? select(mask, s.name, low, scoreShape) : select(mask, low, s.name, scoreShape);
  }
  int64_t last = scoreShape.size() - 1;
  GraphValue p = softmax(s, chance(90) ? last : last - 1);
  if (p.shape.back() != keys)
    return p;
  GraphValue v = fitting(valueShape);
  bool squareWeights = rows == keys, squareValue = valueShape.back() == keys;
  int transposed = (squareWeights && chance(8) ? 1 : 0) | (squareValue && chance(8) ? 2 : 0);
  return product(p, v, transposed);
}

/// Adds f(q) (f(k)^T v) with f(x) = elu(x) + 1.
GraphValue Graph::linearAttention() {
  GraphValue q = matrix();
  Shape shape = q.shape;
  GraphValue k = fitting(shape), v = fitting(shape);
  bool square = shape.back() == shape[shape.size() - 2];
  GraphValue state = product(featureMap(k), v, square ? int(pick(4)) : 1);
  return product(featureMap(q), state, square && chance(30) ? int(pick(4)) : 0);
}

/// Adds x w, and in most cases a bias. Rows of x may be merged into a matrix before the product, and split again after
/// it.
GraphValue Graph::linear(const GraphValue &source) {
  GraphValue x = source;
  if (x.shape.size() > 2 || chance(20))
    x = reshape(x, {countOf(x.shape) / x.shape.back(), x.shape.back()});
  int64_t k = x.shape.back(), n = chance(80) ? k : (chance(50) ? 2 * k : size);
  bool squareInput = x.shape[0] == k;
  int transposed = (squareInput && chance(15) ? 1 : 0) | (chance(40) ? 2 : 0);
  GraphValue w = weight(transposed & 2 ? Shape{n, k} : Shape{k, n}, 1 / std::sqrt(double(k)));
  GraphValue y = product(x, w, transposed);
  if (chance(60)) {
    bool column = y.shape[0] == y.shape[1] && chance(10);
    GraphValue b = broadcast(weight({y.shape[column ? 0 : 1]}), y.shape, {column ? 1 : 0});
    y = chance(50) ? binary("arith.addf", y, b) : binary("arith.addf", b, y);
  }
  if (chance(40)) {
    Shape shape = source.shape;
    shape.back() = n;
    if (countOf(shape) == countOf(y.shape) && shape.size() > 1)
      y = reshape(y, shape);
  }
  return y;
}

void Graph::step() {
  switch (pick(14)) {
  case 0:
  case 1:
  case 2: {
    GraphValue y = linear(matrix());
    if (chance(60))
      y = activation(y);
    if (chance(20)) // Multiplies by a gate.
      y = binary("arith.mulf", y, fitting(y.shape));
    if (chance(40))
      linear(y.shape.size() < 2 ? matrix() : y);
    return;
  }
  case 3:
  case 4:
    norm(matrix());
    return;
  case 5:
  case 6:
    attention();
    return;
  case 7:
    linearAttention();
    return;
  case 8:
    activation(some());
    return;
  case 9: {
    GraphValue x = some();
    static const char *const ops[] = {"arith.addf", "arith.addf", "arith.subf", "arith.mulf", "arith.maximumf"};
    const char *op = ops[pick(5)];
    binary(op, x, fitting(x.shape));
    return;
  }
  case 10:
    someTranspose(matrix());
    return;
  case 11: {
    GraphValue x = matrix();
    Shape shape = x.shape;
    std::shuffle(shape.begin(), shape.end(), random);
    if (chance(40)) { // Merges the first two dimensions.
      shape[1] *= shape[0];
      shape.erase(shape.begin());
    }
    if (shape.size() >= 2 || chance(30))
      reshape(x, shape);
    return;
  }
  case 12: {
    GraphValue x = matrix();
    softmax(x, chance(80) ? x.shape.size() - 1 : pick(x.shape.size()));
    return;
  }
  default: {
    GraphValue x = matrix();
    int64_t dimension = pick(x.shape.size());
    GraphValue sum = rowSum(x, dimension);
    if (chance(60))
      binary("arith.subf", x, spread(sum, x.shape, dimension));
  }
  }
}

std::string Graph::build() {
  argument(someShape());
  for (unsigned steps = 1 + pick(8); steps > 0; --steps)
    step();
  // The results are the last value and some intermediate values.
  std::vector<GraphValue> results = {values.back()};
  for (unsigned more = pick(4); more > 0; --more)
    results.push_back(values[pick(values.size())]);
  return function(results);
}

std::string randomGraph(uint64_t seed) { return Graph(seed).build(); }
