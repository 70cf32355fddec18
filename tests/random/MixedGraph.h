//===- MixedGraph.h - random graphs of all operations -----------*- C++ -*-===//

#ifndef HEDDLE_TESTS_RANDOM_MIXEDGRAPH_H
#define HEDDLE_TESTS_RANDOM_MIXEDGRAPH_H

#include "GraphWriter.h"

/// Placeholders of sizes in ranges. They are primes, except `sum`, which has a prime factor of its own.
struct Placeholder {
  static constexpr int64_t n = 4001, m = 4013, more = n + 2, sum = n + m; // `sum` is 2 x 4007.
};

/// Writes a random graph of all kinds of operations that models can contain: operations of the dialect with random
/// knobs, and general operations on integers, on booleans and on floats of one type. A step adds one or several
/// operations.
///
/// Functions with jumps (comparisons, rounding, remainders) are applied only to arguments, their rearranged elements
/// and integers. For a computed float, the result of such a function could depend on the last digit, in which the f64
/// reference differs.
class MixedGraph : GraphWriter {
public:
  /// `numRanges` sizes lie in ranges. Their placeholders, and the placeholders of their sums, are the extents of some
  /// dimensions.
  MixedGraph(uint64_t seed, unsigned numRanges);
  /// Returns the text of a module. May be called once.
  std::string build();

private:
  using Step = void (MixedGraph::*)();
  /// Each of these functions adds a random step: one on floats, one on integers and booleans, one that moves elements,
  /// or one with an operation of the dialect.
  void floatStep();
  void integerStep();
  void moveStep();
  void layerStep();

  // The following functions return an existing value of some kind, or a new argument.
  GraphValue real();
  GraphValue real(const Shape &shape);
  GraphValue realOfRank(size_t rank);
  /// Returns a float value whose bits are the same in every computation.
  GraphValue exactReal();
  GraphValue integer();
  GraphValue integer(const Shape &shape, const std::string &element);
  GraphValue boolean(const Shape &shape);
  /// Returns a value of this shape with the element type of x.
  GraphValue like(const GraphValue &x, const Shape &shape);
  GraphValue any();
  /// Returns the values for which `is` returns true, except tensors without dimensions.
  std::vector<GraphValue> where(bool (*is)(const GraphValue &)) const;

  /// Returns `rank` random dimensions. Their product is limited.
  Shape shapeOf(size_t rank);
  /// Returns one of `extents`.
  int64_t extent() { return extents[pick(extents.size())]; }
  /// Returns whether a size lies in a range, or is a multiple or sum of such sizes.
  bool isRange(int64_t size) const;
  bool hasRange(const Shape &shape) const;
  /// Returns whether a dimension `size` may be added to `shape`. The number of elements may contain one size in a
  /// range, or the product of n and m, but no other product of such sizes and their sums.
  bool multiply(int64_t size, const Shape &shape) const;
  /// Returns the number of elements if each size in a range is 16.
  int64_t elements(int64_t size) const;
  int64_t elements(const Shape &shape) const;
  /// Returns a module with this function and its sizes.
  std::string withSizes(const std::string &function);
  GraphValue constant(double number, const GraphValue &like) {
    return {splat(number, like.shape, type), like.shape, 1, type};
  }
  /// Returns |x| + `minimum`.
  GraphValue positive(const GraphValue &x, double minimum);
  GraphValue within(const GraphValue &x); // returns 0.9 tanh(x)

  // The steps are in MixedFloats.cpp, MixedIntegers.cpp, MixedMoves.cpp and MixedLayers.cpp.
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
  void concatenateSome();
  void concatenateRange(const GraphValue &x, int64_t dimension);
  void concatenate(const std::vector<GraphValue> &parts, int64_t dimension);
  void pad();
  void lookup();
  void broadcastSome();
  void transposeSome();
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

  // The number of sizes in ranges, 0 to 2.
  unsigned numRanges;
  std::string type; // The element type of all floats.
  // The extents from which dimensions are chosen; some are placeholders.
  std::vector<int64_t> extents;
};

#endif // HEDDLE_TESTS_RANDOM_MIXEDGRAPH_H
