//===- TransformTileOps.td - transform ops that make tiles with places ----===//
//
// TransformOps.td includes this file.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TRANSFORM_TILE_OPS_TD
#define HEDDLE_TRANSFORM_TILE_OPS_TD

def Heddle_SelectLinearTilesOp : Op<Transform_Dialect, "heddle.select_linear_tiles", [
    DeclareOpInterfaceMethods<TransformOpInterface>, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "returns the heddle.linear that lower_linear_tiles can lower by products of a kind";
  let description = [{
    The result is a handle to those of `target` that transform.heddle.match_linear_tiles matches with this kind. It may
    be empty.
  }];
  let cppNamespace = "::heddle::transforms";
  let arguments = (ins TransformHandleTypeInterface:$target, Heddle_FragmentKind:$kind);
  let results = (outs TransformHandleTypeInterface:$selected);
  let assemblyFormat = "$target `kind` `(` $kind `)` attr-dict `:` functional-type($target, $selected)";
}

def Heddle_LowerLinearTilesOp : Heddle_LowerOp<"lower_linear_tiles"> {
  let summary = "lowers heddle.linear to products of tiles in workgroup memory and registers";
  let description = [{
    Makes one scf.forall over blocks of `rows` x `columns` of the result, each of which a workgroup computes. The sums of
    a block are a tile in the registers of `warp_rows` x `warp_columns` warps, in fragments of `kind`. A loop along the
    contraction copies tiles of the input and of the weight, with a depth of `depth`, into workgroup memory and adds
    their product (linalg.matmul). At the end, a linalg.generic applies bias, activation and residual. A copy fills the
    part of a tile that is beyond the end of its matrix with zeros.

    A kind whose factors are narrower than its sums multiplies rows and a weight that are stored in the type of the
    factors, or rows that the layer rounds to it. Copies into tiles convert other elements. The sums and the elements in
    the epilogue have the type of the result.

    The number of warps is halved until a workgroup has at most `threads` threads. Then the block is halved, and with it
    the number of warps, until it is less than twice as large as the result and there are `blocks` blocks, or until it
    has 64 rows and columns.

    The loop has `stages` buffers for each tile in workgroup memory, but at most as many as it has steps: while a step
    computes, the copies of the next steps, one fewer than buffers, are under way.

    Only the stages of target cuda distribute tiles over lanes. The verifier refuses the operation in a strategy for
    another target.

    #### Return modes
    A definite failure if the target is no heddle.linear that transform.heddle.match_linear_tiles matches, if the block
    does not consist of whole fragments of all warps, if a lane would have more than 128 sums, or if the number of warps
    cannot be halved until `threads` suffice.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, Heddle_FragmentKind:$kind, Heddle_Param:$rows,
                       Heddle_Param:$columns, Heddle_Param:$depth, Heddle_Param:$warp_rows, Heddle_Param:$warp_columns,
                       Heddle_Param:$threads, Heddle_Param:$blocks, Heddle_Param:$stages);
  let assemblyFormat = [{
    $target `kind` `(` $kind `)` `block` `(` $rows `x` $columns `)` `depth` `(` $depth `)`
    `warps` `(` $warp_rows `x` $warp_columns `)` `threads` `(` $threads `)` `blocks` `(` $blocks `)`
    `stages` `(` $stages `)`
    attr-dict `:` type($target)
  }];
  let hasVerifier = 1;
}

#endif // HEDDLE_TRANSFORM_TILE_OPS_TD
