//===- RandomGraph.h - random modules ---------------------------*- C++ -*-===//
//
// Small random graphs of the parts of transformers: products, norms, softmax,
// parts of attention and of activations, reshapes, transposes. Most sizes of a
// graph are equal, so that operands fit by coincidence. Every intermediate
// value may be a result, and any part may differ slightly from its usual form.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TESTS_RANDOM_RANDOMGRAPH_H
#define HEDDLE_TESTS_RANDOM_RANDOMGRAPH_H

#include <cstdint>
#include <string>

/// Returns an .mlir file with a function @main. Equal seeds yield equal files.
std::string randomGraph(uint64_t seed);

/// Like randomGraph, for a MixedGraph in which `numRanges` sizes (at most two) and their sums lie in ranges.
std::string mixedGraph(uint64_t seed, unsigned numRanges);

#endif // HEDDLE_TESTS_RANDOM_RANDOMGRAPH_H
