//===- AttentionRegions.h - regions of the quoted attention -----*- C++ -*-===//

#ifndef HEDDLE_IMPORT_OPERATION_ATTENTIONREGIONS_H
#define HEDDLE_IMPORT_OPERATION_ATTENTIONREGIONS_H

#include "Builders.h"

namespace heddle {

/// The regions of a quoted attention, which the knobs `score` and `probability` select.
struct AttentionRegions {
  enum Score { Plain, Alibi, Documents, Square } score;
  enum Probability { Same, Squared, SoftThreshold, Offset } probability;

  static AttentionRegions read(Knobs &knobs);
  bool changesWeights() const { return probability != Same; }
  /// Adds the inputs that the regions read and returns them.
  llvm::SmallVector<mlir::Value> addReads(OperationBuilder &builder, const Dim &batch, int64_t heads,
                                          const Dim &queries, const Dim &keys) const;
  /// Builds the regions of `op`.
  void build(MainBuilder &b, AttentionOp op) const;
};

} // namespace heddle

#endif // HEDDLE_IMPORT_OPERATION_ATTENTIONREGIONS_H
