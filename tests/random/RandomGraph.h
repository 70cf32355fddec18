//===- RandomGraph.h - random modules ---------------------------*- C++ -*-===//
//
// Small random graphs of the parts of transformers: matrix products, norms,
// softmax, parts of attention and of activations, reshapes, transposes. They
// test that passes recognise a layer only where the graph computes this layer.
// Most sizes of a graph are equal, so the shapes of unrelated operands match
// by coincidence. Every intermediate value may be a result, and any part may
// differ slightly from its usual form.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TESTS_RANDOM_RANDOMGRAPH_H
#define HEDDLE_TESTS_RANDOM_RANDOMGRAPH_H

#include <cstdint>
#include <string>

/// Returns the text of an .mlir file with a function @main. Equal seeds yield equal texts.
std::string randomGraph(uint64_t seed);

/// Like randomGraph, but returns a graph of all operations that models can contain (MixedGraph.h). `numRanges` of its
/// sizes, at most two, lie in ranges. If there are two, some graphs also have an extent that is computed from
/// them (n + m or n + 2).
std::string mixedGraph(uint64_t seed, unsigned numRanges);

#endif // HEDDLE_TESTS_RANDOM_RANDOMGRAPH_H
