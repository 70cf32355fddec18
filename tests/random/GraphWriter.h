//===- GraphWriter.h - text of random graphs --------------------*- C++ -*-===//

#ifndef HEDDLE_TESTS_RANDOM_GRAPHWRITER_H
#define HEDDLE_TESTS_RANDOM_GRAPHWRITER_H

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

using Shape = std::vector<int64_t>;

/// A tensor in the text of a function: an argument or the result of an operation.
struct GraphValue {
  std::string name;
  Shape shape;
  double scale = 1; // the approximate magnitude of the elements
  std::string element = "f32";
  // True for arguments and their rearranged elements. Their bits are the same in the reference and in compiled code,
  // while computed numbers may differ in the last digits.
  bool exact = false;

  /// Returns the type of the value, such as tensor<2x3xf32>.
  std::string type() const;
};

/// Returns the number of elements.
int64_t countOf(const Shape &shape);
std::string typeOf(const Shape &shape, const std::string &element = "f32");
/// Returns the numbers in brackets, as attributes are printed.
std::string list(const std::vector<int64_t> &numbers);
/// Returns the number in a form that MLIR parses as a float.
std::string decimal(double number);

/// Writes the text of a function, one operation after another, and records the values, which later operations may use.
/// Derived classes write the function in steps, each of which adds one or several operations.
class GraphWriter {
protected:
  explicit GraphWriter(uint64_t seed) : random(seed) {}

  /// Returns a random number from 0 to count - 1.
  unsigned pick(unsigned count) { return random() % count; }
  /// Returns true with this probability.
  bool chance(unsigned percent) { return pick(100) < percent; }

  /// Returns a name for a new value.
  std::string fresh() { return "%v" + std::to_string(next++); }
  /// Emits `operation` with the operands and attributes in `text`. Records its result, which later steps may use and
  /// return.
  GraphValue emit(const std::string &text, const Shape &shape, const std::string &operation,
                  const std::string &element = "f32") {
    GraphValue value{fresh(), shape, 1, element};
    body += "  " + value.name + " = " + operation + " " + text + "\n";
    values.push_back(value);
    return value;
  }
  /// Returns one of the values, more likely a recent one, after `tamed`.
  GraphValue some() {
    size_t late = std::min<size_t>(4, values.size());
    return tamed(values[chance(60) ? values.size() - 1 - pick(late) : pick(values.size())]);
  }
  /// Returns x, divided by its magnitude if the magnitude is more than 1.5. Without this division, later steps could
  /// overflow f32, and only NaNs would be compared.
  GraphValue tamed(const GraphValue &x) { return x.scale <= 1.5 ? x : withNumber("arith.mulf", x, 1 / x.scale); }
  /// Emits a constant whose elements are all `number`, and returns its name. It is not recorded as a value.
  std::string splat(double number, const Shape &shape, const std::string &element = "f32") {
    std::string name = fresh();
    body += "  " + name + " = arith.constant dense<" + decimal(number) + "> : " + typeOf(shape, element) + "\n";
    return name;
  }
  /// Emits a tensor.empty, and returns its name.
  std::string empty(const Shape &shape, const std::string &element = "f32") {
    std::string name = fresh();
    body += "  " + name + " = tensor.empty() : " + typeOf(shape, element) + "\n";
    return name;
  }

  /// Adds an argument of the function. `attributes` is the text of its attributes.
  GraphValue argument(const Shape &shape, const std::string &element = "f32", const std::string &attributes = "");
  GraphValue weight(const Shape &shape, double scale = 1);
  /// Records `scale` as the magnitude of `value`.
  GraphValue scaled(GraphValue value, double scale) {
    for (GraphValue &known : values)
      if (known.name == value.name)
        known.scale = scale;
    value.scale = scale;
    return value;
  }
  /// Records that an operation only moved elements. The result is then exact if `from` is exact.
  GraphValue moved(GraphValue value, const GraphValue &from) {
    for (GraphValue &known : values)
      if (known.name == value.name)
        known.exact = from.exact;
    value.exact = from.exact;
    return scaled(value, from.scale);
  }
  /// Applies an elementwise operation. The magnitude of the result is estimated from that of the operand.
  GraphValue unary(const std::string &op, const GraphValue &x) {
    return scaled(emit(x.name + " : " + x.type(), x.shape, op, x.element),
                  op == "math.exp" || op == "math.expm1" ? 2e3 : x.scale);
  }
  /// Applies an elementwise operation to two values of the same shape, and estimates the magnitude of the result.
  GraphValue binary(const std::string &op, const GraphValue &a, const GraphValue &b) {
    assert(a.shape == b.shape);
    double scale = op == "arith.mulf"   ? a.scale * b.scale
                   : op == "arith.divf" ? a.scale / std::min(b.scale, 1.0)
                                        : a.scale + b.scale;
    return scaled(emit(a.name + ", " + b.name + " : " + a.type(), a.shape, op, a.element), scale);
  }
  /// Applies `op` to `x` and a constant. If `swap` is set, the constant is the left operand.
  GraphValue withNumber(const std::string &op, const GraphValue &x, double number, bool swap = false) {
    GraphValue constant{splat(number, x.shape, x.element), x.shape, std::abs(number), x.element};
    GraphValue result = swap ? binary(op, constant, x) : binary(op, x, constant);
    return op == "arith.divf" && !swap ? scaled(result, x.scale / std::abs(number)) : result;
  }
  GraphValue select(const std::string &condition, const std::string &a, const std::string &b, const Shape &shape,
                    const std::string &element = "f32") {
    return emit(condition + ", " + a + ", " + b + " : " + typeOf(shape, "i1") + ", " + typeOf(shape, element), shape,
                "arith.select", element);
  }

  GraphValue transpose(const GraphValue &x, const std::vector<int64_t> &permutation);
  /// Transposes x by a random permutation.
  GraphValue someTranspose(const GraphValue &x);
  GraphValue reshape(const GraphValue &x, const Shape &shape);
  /// Broadcasts x to `shape`; `dimensions` are the new dimensions.
  GraphValue broadcast(const GraphValue &x, const Shape &shape, const std::vector<int64_t> &dimensions);
  GraphValue product(const GraphValue &a, const GraphValue &b, int transposed = -1);
  GraphValue reduce(const GraphValue &x, const std::vector<int64_t> &dimensions, const std::string &op,
                    const std::string &start);
  /// Returns the sum of x along a dimension.
  GraphValue rowSum(const GraphValue &x, int64_t dimension);
  GraphValue softmax(const GraphValue &x, int64_t dimension);

  /// Returns the text of the function @main with the arguments and operations so far and these results.
  std::string function(const std::vector<GraphValue> &results) const;

  std::mt19937_64 random;
  // The number of the next new value, the text of the operations, and the texts of the arguments.
  unsigned next = 0;
  std::string body;
  std::vector<std::string> arguments;
  // Values that later steps may use, in the order in which they were emitted.
  std::vector<GraphValue> values;
};

#endif // HEDDLE_TESTS_RANDOM_GRAPHWRITER_H
