//===- RandomGraph.h - modules that nobody wrote ----------------*- C++ -*-===//
//
// Small graphs of what transformers are made of, put together at random: products,
// norms, softmax, pieces of attention and of activations, reshapes, transposes. Most
// sizes of a graph are equal, so that what fits by its size alone is met; every
// intermediate value may be a result, and any piece may be a little wrong.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TESTS_RANDOM_RANDOMGRAPH_H
#define HEDDLE_TESTS_RANDOM_RANDOMGRAPH_H

#include <cstdint>
#include <string>

/// An .mlir file with a function @main, the same for the same seed.
std::string randomGraph(uint64_t seed);

/// The same of a MixedGraph, where so many sizes lie in ranges: at most two, and sums of them.
std::string mixedGraph(uint64_t seed, unsigned numRanges);

#endif // HEDDLE_TESTS_RANDOM_RANDOMGRAPH_H
