//===- AttentionCases.h - random quoted attention operations ----*- C++ -*-===//

#ifndef HEDDLE_TESTS_E2E_ATTENTIONCASES_H
#define HEDDLE_TESTS_E2E_ATTENTIONCASES_H

#include "interpreter/Tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

/// A quoted operation and the seed of its inputs.
struct AttentionCase {
  std::string operation;
  uint64_t seed;
};

/// Returns `count` cases: first a case without knobs, a case for each knob of attention, and a case for each pair of
/// knobs that may occur together; then cases with random sets of knobs. The numbers of queries and keys and the head
/// sizes are drawn from {1, 2, 15, 16, 17, 39, 64, 135}. The same seed gives the same cases on all machines.
std::vector<AttentionCase> attentionCases(unsigned count, uint64_t seed);

/// Returns the number of sets of at most two knobs. With this number as `count`, attentionCases() returns a case for
/// each of these sets.
unsigned numKnobSets();

/// Returns cases with the knobs of attentionCases(count, seed). The number of queries, the number of keys or both lie
/// in ranges.
std::vector<AttentionCase> attentionRangeCases(unsigned count, uint64_t seed);

/// Returns `cases` without the cases that have the knob `rounding`, which only CPUs support.
std::vector<AttentionCase> forDevices(std::vector<AttentionCase> cases);

/// Returns a quoted attention operation with random knobs. If `ranges` is true, sizes lie in ranges.
std::string randomAttention(uint64_t seed, bool ranges);

/// Returns random inputs for the @main of a quoted attention operation, with special cases. Masks remove all keys of
/// some queries. Some biases are -inf, -1e9 or the lowest f32 for some keys, and for all keys of some queries. A query
/// may contain a NaN or an infinity. Some key lengths are 0 or the number of keys.
llvm::SmallVector<heddle::Tensor> attentionInputs(mlir::func::FuncOp main, uint64_t seed);

#endif // HEDDLE_TESTS_E2E_ATTENTIONCASES_H
