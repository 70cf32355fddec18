//===- MixedGraph.h - graphs of all operations and types --------*- C++ -*-===//

#ifndef HEDDLE_TESTS_RANDOM_MIXEDGRAPH_H
#define HEDDLE_TESTS_RANDOM_MIXEDGRAPH_H

#include "GraphWriter.h"

/// What stands for sizes in ranges: primes, one factor of each sum among them.
struct Standing {
  static constexpr int64_t n = 4001, m = 4013, more = n + 2, sum = n + m; // sum is 2 x 4007
};

/// Graphs of what models can be written with: operations of the dialect with any knobs, and general ones of floats of
/// one type, integers and booleans.
///
/// What jumps (comparisons, rounding, remainders) takes arguments and integers only: of a number that is computed the
/// last digit decides, which the reference in f64 has another of.
class MixedGraph : GraphWriter {
public:
  /// So many sizes lie in ranges: numbers that stand for them, and for sums of them, are the extents of some dimensions.
  MixedGraph(uint64_t seed, unsigned numRanges);
  std::string build();

private:
  using Step = void (MixedGraph::*)();
  /// The steps of one file each, chosen among at random.
  void floatStep();
  void integerStep();
  void moveStep();
  void layerStep();

  // Values of some kind: one that is there, or a new argument.
  Value real();
  Value real(const Shape &shape);
  Value realOfRank(size_t rank);
  Value exactReal();
  Value integer();
  Value integer(const Shape &shape, const std::string &element);
  Value boolean(const Shape &shape);
  Value like(const Value &x, const Shape &shape);
  Value any();
  /// Values of at least one dimension.
  std::vector<Value> where(bool (*is)(const Value &)) const;

  Shape shapeOf(size_t rank);
  int64_t extent() { return extents[pick(extents.size())]; }
  /// Whether it is a size in a range, or a multiple or sum of some.
  bool isRange(int64_t size) const;
  bool hasRange(const Shape &shape) const;
  /// Whether a product of the two is neither a square of a size in a range nor one of a sum.
  bool multiply(int64_t size, const Shape &shape) const;
  /// How many there are where a size in a range is a small one.
  int64_t elements(int64_t size) const;
  int64_t elements(const Shape &shape) const;
  std::string withSizes(const std::string &function);
  Value constant(double number, const Value &like) { return {splat(number, like.shape, type), like.shape, 1, type}; }
  Value positive(const Value &x, double least);
  Value within(const Value &x); // -0.9 to 0.9

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
  void joinRange(const Value &x, int64_t dimension);
  void concatenate(const std::vector<Value> &parts, int64_t dimension);
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
  std::string type; // of the floats
  std::vector<int64_t> extents;
};

#endif // HEDDLE_TESTS_RANDOM_MIXEDGRAPH_H
