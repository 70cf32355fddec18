//===- AttentionPartsLowering.h - attention of few queries by parts -------===//

#ifndef HEDDLE_LOWERING_TILES_ATTENTIONPARTSLOWERING_H
#define HEDDLE_LOWERING_TILES_ATTENTIONPARTSLOWERING_H

#include "AttentionJoin.h"
#include "AttentionPartPlan.h"
#include "AttentionTileLowering.h"

namespace heddle {

/// Lowers one heddle.attention on few queries (transform.heddle.lower_attention_parts). Private functions are documented
/// in AttentionPartsLowering.cpp.
class AttentionPartsLowering : AttentionTileLowering {
public:
  AttentionPartsLowering(mlir::RewriterBase &b, AttentionOp op, FragmentKind kind, const AttentionPartPlan &plan,
                         bool approximate)
      : AttentionTileLowering(b, op, kind, plan.block, approximate), plan(plan) {}
  void run();

private:
  void begin(Value batchEntry, Value group);
  Running emitPartOfKeys(Value part);
  TaskPart emitWhole(mlir::ValueRange at, Value out);
  llvm::SmallVector<TaskPart> emitPart(mlir::ValueRange at, mlir::ValueRange outs);
  void emitParts(const Extent &batch);

  AttentionPartPlan plan;
  int64_t groups = 1; // the number of groups of heads, each of which a workgroup computes with a part of the keys
  AttentionParts parts;
};

} // namespace heddle

#endif // HEDDLE_LOWERING_TILES_ATTENTIONPARTSLOWERING_H
