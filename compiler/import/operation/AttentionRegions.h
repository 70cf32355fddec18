//===- AttentionRegions.h - regions of the quoted attention -----*- C++ -*-===//

#ifndef HEDDLE_IMPORT_OPERATION_ATTENTIONREGIONS_H
#define HEDDLE_IMPORT_OPERATION_ATTENTIONREGIONS_H

#include "Builders.h"

namespace heddle {

/// The regions of a quoted attention operation, whose code changes scores and probabilities. The knobs `score` and
/// `probability` select a change; Plain and Same mean that there is no region. AttentionRegions.cpp describes the
/// changes.
struct AttentionRegions {
  enum Score { Plain, Alibi, Documents, Square } score;
  enum Probability { Same, Squared, SoftThreshold, Offset } probability;

  /// Reads both knobs.
  static AttentionRegions read(Knobs &knobs);
  bool changesWeights() const { return probability != Same; }
  /// Adds to the function the inputs that the regions read, and returns these inputs.
  llvm::SmallVector<mlir::Value> addReads(OperationBuilder &builder, const Dim &batch, int64_t heads,
                                          const Dim &queries, const Dim &keys) const;
  /// Builds the regions of `op`.
  void build(MainBuilder &b, AttentionOp op) const;
};

} // namespace heddle

#endif // HEDDLE_IMPORT_OPERATION_ATTENTIONREGIONS_H
