//===- RandomGraph.cpp - random modules -----------------------------------===//

#include "RandomGraph.h"

#include "GraphWriter.h"

namespace {

class Graph : GraphWriter {
public:
  explicit Graph(uint64_t seed) : GraphWriter(seed) {
    const int64_t usual[] = {2, 3, 4, 4, 5, 8, 16, 17};
    size = usual[pick(8)];
  }
  std::string build();

private:
  Value spread(const Value &x, const Shape &shape, int64_t dimension);
  Value fitting(const Shape &shape);
  Value activation(const Value &x);
  Value norm(const Value &x);
  Value attention();
  Value featureMap(const Value &x);
  Value linearAttention();
  Value linear(const Value &x);
  Shape someShape();
  Value matrix();
  void step();

  int64_t size; // of most dimensions
};

} // namespace

/// Returns a value of this shape: an existing one, one that can be reshaped or transposed, or a new input.
Value Graph::fitting(const Shape &shape) {
  std::vector<Value> same, reshaped;
  for (const Value &value : values) {
    if (value.shape == shape)
      same.push_back(value);
    else if (countOf(value.shape) == countOf(shape))
      reshaped.push_back(value);
  }
  if (!same.empty() && chance(70)) {
    Value value = same[pick(same.size())];
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

Shape Graph::someShape() {
  static const int64_t few[] = {1, 2, 3};
  auto extent = [&] { return chance(75) ? size : few[pick(3)]; };
  Shape shape = {chance(85) ? size : extent(), chance(90) ? size : 2 * size};
  for (unsigned more = pick(3); more > 0; --more)
    shape.insert(shape.begin(), size > 8 ? few[pick(3)] : extent());
  return shape;
}

/// Returns a value with rows and columns.
Value Graph::matrix() {
  for (unsigned tries = 0; tries < 4; ++tries)
    if (Value value = some(); value.shape.size() >= 2)
      return value;
  return argument(someShape());
}

Value Graph::activation(const Value &x) {
  double wrong = chance(10) ? 0.5 : 1.0; // sometimes a constant of another function
  switch (pick(9)) {
  case 0: {
    Value inner =
        chance(50) ? withNumber("arith.mulf", x, 0.70710678 * wrong) : withNumber("arith.divf", x, 1.41421356 * wrong);
    Value gate = withNumber("arith.addf", unary("math.erf", inner), 1);
    return chance(50) ? binary("arith.mulf", withNumber("arith.mulf", x, 0.5), gate)
                      : withNumber("arith.mulf", binary("arith.mulf", x, gate), 0.5);
  }
  case 1: {
    Value cube = binary("arith.mulf", binary("arith.mulf", x, x), x);
    Value sum = binary("arith.addf", x, withNumber("arith.mulf", cube, 0.044715 * wrong));
    Value gate = withNumber("arith.addf", unary("math.tanh", withNumber("arith.mulf", sum, 0.7978845608)), 1);
    return binary("arith.mulf", withNumber("arith.mulf", x, 0.5), gate);
  }
  case 2:
  case 3: {
    Value divisor = withNumber("arith.addf", unary("math.exp", unary("arith.negf", x)), wrong);
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

/// elu(x) + 1.
Value Graph::featureMap(const Value &x) {
  std::string zero = splat(0, x.shape), condition = fresh();
  Value below = chance(50) ? unary("math.expm1", x) : withNumber("arith.subf", unary("math.exp", x), 1);
  body += "  " + condition + " = arith.cmpf ogt, " + x.name + ", " + zero + " : " + typeOf(x.shape) + "\n";
  return withNumber("arith.addf", select(condition, x.name, below.name, x.shape), 1);
}

Value Graph::spread(const Value &x, const Shape &shape, int64_t dimension) { return broadcast(x, shape, {dimension}); }

/// Layer norm or root mean square norm; some of its steps may use another dimension.
Value Graph::norm(const Value &x) {
  int64_t last = x.shape.size() - 1;
  auto dimension = [&] {
    int64_t other = last > 0 && x.shape[last] == x.shape[last - 1] ? last - 1 : last;
    return chance(6) ? other : last;
  };
  auto mean = [&](const Value &value) {
    int64_t along = dimension();
    return withNumber("arith.divf", rowSum(value, along), double(value.shape[along]) - (chance(4) ? 0.5 : 0));
  };
  Value centred = x;
  if (chance(60))
    centred = binary("arith.subf", x, spread(mean(x), x.shape, dimension()));
  Value squared = chance(5) ? fitting(x.shape) : centred;
  Value variance = mean(binary("arith.mulf", squared, squared));
  Value shifted = withNumber("arith.addf", variance, chance(50) ? 0.01 : 0.5);
  Value normal;
  switch (pick(3)) {
  case 0:
    normal = binary("arith.divf", centred, spread(unary("math.sqrt", shifted), x.shape, dimension()));
    break;
  case 1:
    normal = binary("arith.mulf", centred, spread(unary("math.rsqrt", shifted), x.shape, dimension()));
    break;
  default:
    Value inverse = withNumber("arith.divf", unary("math.sqrt", shifted), 1, /*swap=*/true);
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
    Value row = chance(70) ? weight({x.shape[kept]}) : argument({x.shape[kept]});
    normal = binary(op, normal, repeated.empty() ? row : broadcast(row, x.shape, repeated));
  }
  return normal;
}

/// softmax(scale q k^T + bias, masked) v, on matrices that are mostly square.
Value Graph::attention() {
  Value q = matrix();
  int64_t d = q.shape.back(), rows = q.shape[q.shape.size() - 2], keys = chance(80) ? rows : 2 * rows;
  Shape batch(q.shape.begin(), q.shape.end() - 2), keyShape = batch, valueShape = batch, scoreShape = batch;
  keyShape.insert(keyShape.end(), {keys, d});
  valueShape.insert(valueShape.end(), {keys, chance(80) ? d : 2 * d});
  scoreShape.insert(scoreShape.end(), {rows, keys});
  // Groups of heads: one key head is repeated.
  Value k = fitting(keyShape);
  bool square = keys == d, squareQuery = rows == d;
  Value s = product(q, k, chance(80) || !square ? 2 : (squareQuery ? pick(4) : 0));
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
    std::string low = splat(-30, scoreShape); // no row is empty
    s = chance(70) ? select(mask, s.name, low, scoreShape) : select(mask, low, s.name, scoreShape);
  }
  int64_t last = scoreShape.size() - 1;
  Value p = softmax(s, chance(90) ? last : last - 1);
  if (p.shape.back() != keys)
    return p;
  Value v = fitting(valueShape);
  bool squareWeights = rows == keys, squareValue = valueShape.back() == keys;
  int transposed = (squareWeights && chance(8) ? 1 : 0) | (squareValue && chance(8) ? 2 : 0);
  return product(p, v, transposed);
}

Value Graph::linearAttention() {
  Value q = matrix();
  Shape shape = q.shape;
  Value k = fitting(shape), v = fitting(shape);
  bool square = shape.back() == shape[shape.size() - 2];
  Value state = product(featureMap(k), v, square ? int(pick(4)) : 1);
  return product(featureMap(q), state, square && chance(30) ? int(pick(4)) : 0);
}

/// x w + b, sometimes with an activation, for merged rows or a batch.
Value Graph::linear(const Value &source) {
  Value x = source;
  if (x.shape.size() > 2 || chance(20))
    x = reshape(x, {countOf(x.shape) / x.shape.back(), x.shape.back()});
  int64_t k = x.shape.back(), n = chance(80) ? k : (chance(50) ? 2 * k : size);
  bool squareInput = x.shape[0] == k;
  int transposed = (squareInput && chance(15) ? 1 : 0) | (chance(40) ? 2 : 0);
  Value w = weight(transposed & 2 ? Shape{n, k} : Shape{k, n}, 1 / std::sqrt(double(k)));
  Value y = product(x, w, transposed);
  if (chance(60)) {
    bool column = y.shape[0] == y.shape[1] && chance(10);
    Value b = broadcast(weight({y.shape[column ? 0 : 1]}), y.shape, {column ? 1 : 0});
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
    Value y = linear(matrix());
    if (chance(60))
      y = activation(y);
    if (chance(20)) // gated
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
    Value x = some();
    static const char *const ops[] = {"arith.addf", "arith.addf", "arith.subf", "arith.mulf", "arith.maximumf"};
    const char *op = ops[pick(5)];
    binary(op, x, fitting(x.shape));
    return;
  }
  case 10:
    someTranspose(matrix());
    return;
  case 11: {
    Value x = matrix();
    Shape shape = x.shape;
    std::shuffle(shape.begin(), shape.end(), random);
    if (chance(40)) { // merged
      shape[1] *= shape[0];
      shape.erase(shape.begin());
    }
    if (shape.size() >= 2 || chance(30))
      reshape(x, shape);
    return;
  }
  case 12: {
    Value x = matrix();
    softmax(x, chance(80) ? x.shape.size() - 1 : pick(x.shape.size()));
    return;
  }
  default: {
    Value x = matrix();
    int64_t dimension = pick(x.shape.size());
    Value sum = rowSum(x, dimension);
    if (chance(60))
      binary("arith.subf", x, spread(sum, x.shape, dimension));
  }
  }
}

std::string Graph::build() {
  argument(someShape());
  for (unsigned steps = 1 + pick(8); steps > 0; --steps)
    step();
  // The last value and some intermediate values.
  std::vector<Value> results = {values.back()};
  for (unsigned more = pick(4); more > 0; --more)
    results.push_back(values[pick(values.size())]);
  return function(results);
}

std::string randomGraph(uint64_t seed) { return Graph(seed).build(); }
