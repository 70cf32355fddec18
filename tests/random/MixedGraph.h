//===- MixedGraph.h - random graphs of all operations -----------*- C++ -*-===//

#ifndef HEDDLE_TESTS_RANDOM_MIXEDGRAPH_H
#define HEDDLE_TESTS_RANDOM_MIXEDGRAPH_H

#include "GraphWriter.h"

/// Placeholders of sizes in ranges. They are primes, except that `sum` is a product with another prime factor.
struct Placeholder {
  static constexpr int64_t n = 4001, m = 4013, more = n + 2, sum = n + m; // sum is 2 x 4007
};

/// A random graph of all kinds of operations that models can contain: operations of the dialect with random knobs, and
/// general operations on integers, on booleans and on floats of one type.
///
/// Functions with jumps (comparisons, rounding, remainders) are applied only to arguments and integers. For a computed
/// number, the result of such a function could depend on the last digit, in which the f64 reference differs.
class MixedGraph : GraphWriter {
public:
  /// `numRanges` sizes lie in ranges. Their placeholders, and the placeholders of their sums, are the extents of some
  /// dimensions.
  MixedGraph(uint64_t seed, unsigned numRanges);
  std::string build();

private:
  using Step = void (MixedGraph::*)();
  /// Adds a random step on floats, or on integers and booleans.
  void floatStep();
  void integerStep();
  void moveStep();
  void layerStep();

  // Return an existing value of some kind, or a new argument.
  GraphValue real();
  GraphValue real(const Shape &shape);
  GraphValue realOfRank(size_t rank);
  GraphValue exactReal();
  GraphValue integer();
  GraphValue integer(const Shape &shape, const std::string &element);
  GraphValue boolean(const Shape &shape);
  GraphValue like(const GraphValue &x, const Shape &shape);
  GraphValue any();
  /// Returns those values with at least one dimension for which `is` returns true.
  std::vector<GraphValue> where(bool (*is)(const GraphValue &)) const;

  Shape shapeOf(size_t rank);
  int64_t extent() { return extents[pick(extents.size())]; }
  /// Returns whether a size lies in a range, or is a multiple or sum of such sizes.
  bool isRange(int64_t size) const;
  bool hasRange(const Shape &shape) const;
  /// Returns whether a product of `size` and the extents in `shape` contains neither the square of a size in a range
  /// nor the square of a sum of such sizes.
  bool multiply(int64_t size, const Shape &shape) const;
  /// Returns the number of elements if each size in a range has a small value.
  int64_t elements(int64_t size) const;
  int64_t elements(const Shape &shape) const;
  std::string withSizes(const std::string &function);
  GraphValue constant(double number, const GraphValue &like) {
    return {splat(number, like.shape, type), like.shape, 1, type};
  }
  GraphValue positive(const GraphValue &x, double minimum);
  GraphValue within(const GraphValue &x); // returns x scaled to -0.9..0.9

  void elementwise();
  void pair();
  void jump();
  void compareReals();
  void chooseReals();
  void reduceReals();
  void contraction();
  void position();

  void integerPair();
  void integerCast();
  void compareIntegers();
  void integerToReal();
  void booleans();
  void reduceIntegers();

  void slice();
  void join();
  void joinRange(const GraphValue &x, int64_t dimension);
  void concatenate(const std::vector<GraphValue> &parts, int64_t dimension);
  void pad();
  void lookup();
  void spread();
  void turn();
  void reshapeSome();

  void attention();
  void norm();
  void linear();
  void ffn();
  void rotary();
  void linearAttention();
  void recurrentAttention();
  std::string regions();
  void softmaxSome();

  unsigned numRanges;
  std::string type; // the type of all floats
  std::vector<int64_t> extents;
};

#endif // HEDDLE_TESTS_RANDOM_MIXEDGRAPH_H
