//===- RandomGraph.cpp - modules that nobody wrote ------------------------===//

#include "RandomGraph.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

namespace {

using Shape = std::vector<int64_t>;

struct Value {
  std::string name;
  Shape shape;
  double scale = 1; // roughly how large its elements are
};

int64_t countOf(const Shape &shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

std::string typeOf(const Shape &shape, const std::string &element = "f32") {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + element + ">";
}

std::string list(const std::vector<int64_t> &numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return "[" + text + "]";
}

std::string decimal(double number) {
  char text[32];
  snprintf(text, sizeof(text), "%.8e", number);
  return text;
}

class Graph {
public:
  explicit Graph(uint64_t seed) : random(seed) {
    const int64_t usual[] = {2, 3, 4, 4, 5, 8, 16, 17};
    size = usual[pick(8)];
  }
  std::string build();

private:
  unsigned pick(unsigned count) { return random() % count; }
  bool chance(unsigned percent) { return pick(100) < percent; }

  std::string fresh() { return "%v" + std::to_string(next++); }
  /// A new value, which later steps may use and return.
  Value emit(const std::string &text, const Shape &shape, const std::string &operation) {
    Value value{fresh(), shape};
    body += "  " + value.name + " = " + operation + " " + text + "\n";
    values.push_back(value);
    return value;
  }
  /// One of the values, more likely a late one.
  Value some() {
    size_t late = std::min<size_t>(4, values.size());
    return tamed(values[chance(60) ? values.size() - 1 - pick(late) : pick(values.size())]);
  }
  /// Small enough that no step overflows f32, which would make the comparison one of NaNs.
  Value tamed(const Value &x) { return x.scale <= 3 ? x : withNumber("arith.mulf", x, 1 / x.scale); }
  std::string splat(double number, const Shape &shape) {
    std::string name = fresh();
    body += "  " + name + " = arith.constant dense<" + decimal(number) + "> : " + typeOf(shape) + "\n";
    return name;
  }
  std::string empty(const Shape &shape) {
    std::string name = fresh();
    body += "  " + name + " = tensor.empty() : " + typeOf(shape) + "\n";
    return name;
  }

  Value argument(const Shape &shape);
  Value weight(const Shape &shape);
  Value scaled(Value value, double scale) {
    for (Value &known : values)
      if (known.name == value.name)
        known.scale = scale;
    value.scale = scale;
    return value;
  }
  Value unary(const std::string &op, const Value &x) {
    return scaled(emit(x.name + " : " + typeOf(x.shape), x.shape, op), op == "math.exp" || op == "math.expm1" ? 1e4 : x.scale);
  }
  Value binary(const std::string &op, const Value &a, const Value &b) {
    assert(a.shape == b.shape);
    double scale = op == "arith.mulf" ? a.scale * b.scale : op == "arith.divf" ? a.scale / std::min(b.scale, 1.0) : a.scale + b.scale;
    return scaled(emit(a.name + ", " + b.name + " : " + typeOf(a.shape), a.shape, op), scale);
  }
  Value withNumber(const std::string &op, const Value &x, double number, bool swap = false) {
    Value constant{splat(number, x.shape), x.shape, std::abs(number)};
    Value result = swap ? binary(op, constant, x) : binary(op, x, constant);
    return op == "arith.divf" && !swap ? scaled(result, x.scale / std::abs(number)) : result;
  }
  Value select(const std::string &condition, const std::string &a, const std::string &b, const Shape &shape) {
    return emit(condition + ", " + a + ", " + b + " : " + typeOf(shape, "i1") + ", " + typeOf(shape), shape, "arith.select");
  }

  Value transpose(const Value &x, const std::vector<int64_t> &permutation);
  Value someTranspose(const Value &x);
  Value reshape(const Value &x, const Shape &shape);
  Value broadcast(const Value &x, const Shape &shape, const std::vector<int64_t> &dimensions);
  Value product(const Value &a, const Value &b, int transposed = -1);
  Value fitting(const Shape &shape);
  Value activation(const Value &x);
  Value rowSum(const Value &x, int64_t dimension);
  Value spread(const Value &x, const Shape &shape, int64_t dimension);
  Value norm(const Value &x);
  Value softmax(const Value &x, int64_t dimension);
  Value attention();
  Value featureMap(const Value &x);
  Value linearAttention();
  Value linear(const Value &x);
  Shape someShape();
  Value matrix();
  void step();

  std::mt19937_64 random;
  int64_t size;
  unsigned next = 0;
  std::string body;
  std::vector<std::string> arguments;
  std::vector<Value> values;
};

} // namespace

Value Graph::argument(const Shape &shape) {
  Value value{"%a" + std::to_string(arguments.size()), shape};
  arguments.push_back(value.name + ": " + typeOf(shape));
  values.push_back(value);
  return value;
}

/// A constant with other elements everywhere: what the importers make of small weights.
Value Graph::weight(const Shape &shape) {
  if (countOf(shape) > 600)
    return argument(shape);
  std::string text;
  std::vector<std::string> elements;
  for (int64_t i = 0; i < countOf(shape); ++i)
    elements.push_back(decimal(double(int(pick(2001)) - 1000) / 1000));
  // Innermost brackets first.
  for (size_t dim = shape.size(); dim-- > 0;) {
    std::vector<std::string> outer;
    for (size_t i = 0; i < elements.size(); i += shape[dim]) {
      std::string row;
      for (int64_t j = 0; j < shape[dim]; ++j)
        row += (j ? ", " : "") + elements[i + j];
      outer.push_back("[" + row + "]");
    }
    elements = outer;
  }
  Value value{fresh(), shape};
  body += "  " + value.name + " = arith.constant dense<" + elements[0] + "> : " + typeOf(shape) + "\n";
  return value;
}

Value Graph::transpose(const Value &x, const std::vector<int64_t> &permutation) {
  Shape shape;
  for (int64_t dim : permutation)
    shape.push_back(x.shape[dim]);
  std::string init = empty(shape);
  return scaled(emit("ins(" + x.name + " : " + typeOf(x.shape) + ") outs(" + init + " : " + typeOf(shape) +
                         ") permutation = " + list(permutation),
                     shape, "linalg.transpose"),
                x.scale);
}

Value Graph::someTranspose(const Value &x) {
  std::vector<int64_t> permutation(x.shape.size());
  for (size_t i = 0; i < permutation.size(); ++i)
    permutation[i] = i;
  std::shuffle(permutation.begin(), permutation.end(), random);
  return transpose(x, permutation);
}

/// Through one dimension, as importers write what is no plain split or merge.
Value Graph::reshape(const Value &x, const Shape &shape) {
  auto all = [](size_t rank) {
    std::vector<int64_t> dims;
    for (size_t i = 0; i < rank; ++i)
      dims.push_back(i);
    return "[" + list(dims) + "]";
  };
  Value flat = x;
  if (x.shape.size() > 1)
    flat = scaled(emit(x.name + " " + all(x.shape.size()) + " : " + typeOf(x.shape) + " into " + typeOf({countOf(x.shape)}),
                       {countOf(x.shape)}, "tensor.collapse_shape"),
                  x.scale);
  if (shape.size() == 1)
    return flat;
  return scaled(emit(flat.name + " " + all(shape.size()) + " output_shape " + list(shape) + " : " + typeOf(flat.shape) +
                         " into " + typeOf(shape),
                     shape, "tensor.expand_shape"),
                x.scale);
}

Value Graph::broadcast(const Value &x, const Shape &shape, const std::vector<int64_t> &dimensions) {
  std::string init = empty(shape);
  return scaled(emit("ins(" + x.name + " : " + typeOf(x.shape) + ") outs(" + init + " : " + typeOf(shape) +
                         ") dimensions = " + list(dimensions),
                     shape, "linalg.broadcast"),
                x.scale);
}

/// [.., M, K] x [.., K, N] of equal batches, each operand as it is or transposed by the maps
/// (`transposed`: bit 0 the left one, bit 1 the right one).
Value Graph::product(const Value &a, const Value &b, int transposed) {
  size_t rank = a.shape.size();
  if (transposed < 0)
    transposed = chance(60) ? 0 : pick(4);
  int64_t m = a.shape[rank - (transposed & 1 ? 1 : 2)];
  [[maybe_unused]] int64_t k = a.shape[rank - (transposed & 1 ? 2 : 1)];
  int64_t n = b.shape[rank - (transposed & 2 ? 2 : 1)];
  assert(k == b.shape[rank - (transposed & 2 ? 1 : 2)]);
  double scale = a.scale * b.scale * std::sqrt(double(k));
  Shape shape(a.shape.begin(), a.shape.end() - 2);
  shape.insert(shape.end(), {m, n});
  std::string loops, batch;
  for (size_t i = 0; i + 2 < rank; ++i)
    batch += "b" + std::to_string(i) + ", ";
  loops = "affine_map<(" + batch + "m, n, k) -> (" + batch;
  std::string maps = loops + (transposed & 1 ? "k, m" : "m, k") + ")>, " + loops + (transposed & 2 ? "n, k" : "k, n") +
                     ")>, " + loops + "m, n)>";
  std::string zero = splat(0, shape);
  std::string operands = "ins(" + a.name + ", " + b.name + " : " + typeOf(a.shape) + ", " + typeOf(b.shape) + ") outs(" +
                         zero + " : " + typeOf(shape) + ")";
  std::string result = " -> " + typeOf(shape);
  if (rank == 2 || rank == 3) {
    std::string op = rank == 2 ? "linalg.matmul" : "linalg.batch_matmul";
    return scaled(emit((transposed ? "indexing_maps = [" + maps + "] " : "") + operands + result, shape, op), scale);
  }
  std::string iterators;
  for (size_t i = 0; i < rank; ++i)
    iterators += "\"parallel\", ";
  std::string text = " {\n  ^bb0(%x: f32, %y: f32, %z: f32):\n    %p = arith.mulf %x, %y : f32\n"
                     "    %s = arith.addf %z, %p : f32\n    linalg.yield %s : f32\n  }";
  return scaled(emit("{indexing_maps = [" + maps + "], iterator_types = [" + iterators + "\"reduction\"]} " + operands +
                         text + result,
                     shape, "linalg.generic"),
                scale);
}

/// A value of this shape: one that is there, one that can be reshaped or transposed, or a new input.
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

/// Something with rows and columns.
Value Graph::matrix() {
  for (unsigned tries = 0; tries < 4; ++tries)
    if (Value value = some(); value.shape.size() >= 2)
      return value;
  return argument(someShape());
}

Value Graph::activation(const Value &x) {
  double wrong = chance(10) ? 0.5 : 1.0; // a constant of another function
  switch (pick(9)) {
  case 0: {
    Value inner = chance(50) ? withNumber("arith.mulf", x, 0.70710678 * wrong) : withNumber("arith.divf", x, 1.41421356 * wrong);
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
    body += "  " + condition + " = arith.cmpf " + (below ? "olt, " : "ugt, ") + x.name + ", " + zero + " : " + typeOf(x.shape) + "\n";
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

Value Graph::rowSum(const Value &x, int64_t dimension) {
  Shape shape = x.shape;
  shape.erase(shape.begin() + dimension);
  std::string zero = splat(0, shape);
  return scaled(emit("{ arith.addf } ins(" + x.name + " : " + typeOf(x.shape) + ") outs(" + zero + " : " + typeOf(shape) +
                         ") dimensions = [" + std::to_string(dimension) + "]",
                     shape, "linalg.reduce"),
                x.scale * double(x.shape[dimension]));
}

Value Graph::spread(const Value &x, const Shape &shape, int64_t dimension) { return broadcast(x, shape, {dimension}); }

/// Layer norm or root mean square norm, each step of which may take another dimension.
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

Value Graph::softmax(const Value &x, int64_t dimension) {
  std::string init = empty(x.shape);
  return emit("dimension(" + std::to_string(dimension) + ") ins(" + x.name + " : " + typeOf(x.shape) + ") outs(" + init +
                  " : " + typeOf(x.shape) + ") -> " + typeOf(x.shape),
              x.shape, "linalg.softmax");
}

/// softmax(scale q k^T + bias, masked) v, on matrices that are mostly square.
Value Graph::attention() {
  Value q = matrix();
  int64_t d = q.shape.back(), rows = q.shape[q.shape.size() - 2], keys = chance(80) ? rows : 2 * rows;
  Shape batch(q.shape.begin(), q.shape.end() - 2), keyShape = batch, valueShape = batch, scoreShape = batch;
  keyShape.insert(keyShape.end(), {keys, d});
  valueShape.insert(valueShape.end(), {keys, chance(80) ? d : 2 * d});
  scoreShape.insert(scoreShape.end(), {rows, keys});
  // Groups of heads: one key head repeated.
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

/// x w + b and perhaps an activation, of merged rows or a batch.
Value Graph::linear(const Value &source) {
  Value x = source;
  if (x.shape.size() > 2 || chance(20))
    x = reshape(x, {countOf(x.shape) / x.shape.back(), x.shape.back()});
  int64_t k = x.shape.back(), n = chance(80) ? k : (chance(50) ? 2 * k : size);
  bool squareInput = x.shape[0] == k;
  int transposed = (squareInput && chance(15) ? 1 : 0) | (chance(40) ? 2 : 0);
  Value w = weight(transposed & 2 ? Shape{n, k} : Shape{k, n});
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
  // The last value and some of those on the way.
  std::vector<Value> results = {values.back()};
  for (unsigned more = pick(4); more > 0; --more)
    results.push_back(values[pick(values.size())]);
  std::string parameters, types, names;
  for (const std::string &argument : arguments)
    parameters += (parameters.empty() ? "" : ", ") + argument;
  for (const Value &result : results) {
    types += (types.empty() ? "" : ", ") + typeOf(result.shape);
    names += (names.empty() ? "" : ", ") + result.name;
  }
  return "func.func @main(" + parameters + ") -> (" + types + ") {\n" + body + "  return " + names + " : " + types + "\n}\n";
}

std::string randomGraph(uint64_t seed) { return Graph(seed).build(); }
