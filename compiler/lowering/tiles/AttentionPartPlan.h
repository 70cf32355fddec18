//===- AttentionPartPlan.h - attention of few queries by parts --*- C++ -*-===//

#ifndef HEDDLE_LOWERING_TILES_ATTENTIONPARTPLAN_H
#define HEDDLE_LOWERING_TILES_ATTENTIONPARTPLAN_H

#include "AttentionTileBlock.h"

#include "Extent.h"

namespace heddle {

/// How attention of few queries is divided among workgroups: each one computes all queries of some heads, which share a
/// key head, with a part of the keys.
struct AttentionPartPlan {
  AttentionTileBlock block; // `queries` is the number of rows of the tile of queries
  int64_t heads;            // the number of heads of a workgroup
  int64_t steps;            // the number of steps of `block.keys` keys that a part has at most
  int64_t parts;            // the maximum number of parts

  /// The numbers on which the plan depends.
  struct Facts {
    FragmentKind kind;
    AttentionOp::Extents sizes;
    Extent batch, queries, keys;
    bool sharesKeys; // whether a workgroup can compute several heads
    bool converts;   // whether copies into the tiles of keys and values convert elements, and so pass through registers
  };
  /// Completes a plan whose block has a number of keys and of stages. A workgroup has as many of the heads that share a
  /// key head as `limits` allow, and each fragment of rows has a warp of its own. Keys become fewer until the registers
  /// suffice (AttentionTileBlock::fitKeys). The loop has one stage if more do not fit into `limits.bytes`. The parts
  /// are as large as possible, but there are at least `limits.blocks` workgroups, if there are enough steps for them
  /// and a part has at least eight keys for each of its rows: otherwise the results of the parts, which are written and
  /// read again, would be large compared with the keys. If the batch size lies in a range, its minimum counts, and if
  /// the number of keys does, its maximum. Returns false if the tiles of a single head do not fit.
  bool complete(const Facts &facts, const AttentionTileBlock::Limits &limits);

private:
  bool fit(const Facts &facts, const AttentionTileBlock::Limits &limits);
};

} // namespace heddle

#endif // HEDDLE_LOWERING_TILES_ATTENTIONPARTPLAN_H
