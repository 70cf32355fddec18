//===- TransformTileOps.td - transform ops that make tiles with places ----===//
//
// TransformOps.td includes this file.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TRANSFORM_TILE_OPS_TD
#define HEDDLE_TRANSFORM_TILE_OPS_TD

def Heddle_LowerLinearTilesOp : Heddle_LowerOp<"lower_linear_tiles"> {
  let summary = "lowers heddle.linear to products of tiles whose places are known";
  let description = [{
    Makes one scf.forall over blocks of `rows` x `columns` of the result, each of which a workgroup computes. The sums of
    a block are a tile in the registers of `warp_rows` x `warp_columns` warps, in fragments of #heddle.fma. A loop along
    the contraction copies tiles of the input and of the weight, with a depth of `depth`, into workgroup memory and adds
    their product (linalg.matmul). At the end, a linalg.generic applies bias, activation and residual. A copy fills the
    part of a tile that is beyond the end of its matrix with zeros.

    If the result has fewer rows or columns than a block, or so few blocks that most multiprocessors would have none,
    the block and the number of warps are halved, along rows or columns, until this no longer helps.

    #### Return modes
    A definite failure for a target that transform.heddle.match_linear_tiles does not match, and for a block that the
    warps cannot divide.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, Heddle_Param:$rows, Heddle_Param:$columns,
                       Heddle_Param:$depth, Heddle_Param:$warp_rows, Heddle_Param:$warp_columns);
  let assemblyFormat = [{
    $target `block` `(` $rows `x` $columns `)` `depth` `(` $depth `)` `warps` `(` $warp_rows `x` $warp_columns `)`
    attr-dict `:` type($target)
  }];
}

#endif // HEDDLE_TRANSFORM_TILE_OPS_TD
