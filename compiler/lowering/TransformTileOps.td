//===- TransformTileOps.td - transform ops that make tiles with places ----===//
//
// TransformOps.td includes this file.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TRANSFORM_TILE_OPS_TD
#define HEDDLE_TRANSFORM_TILE_OPS_TD

def Heddle_SelectLinearTilesOp : Op<Transform_Dialect, "heddle.select_linear_tiles", [
    DeclareOpInterfaceMethods<TransformOpInterface>, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "returns the heddle.linear ops that lower_linear_tiles can lower with products of a kind";
  let description = [{
    The result is a handle to all heddle.linear ops of `target` that transform.heddle.match_linear_tiles matches with
    this kind. The handle may be empty.
  }];
  let cppNamespace = "::heddle::transforms";
  let arguments = (ins TransformHandleTypeInterface:$target, Heddle_FragmentKind:$kind);
  let results = (outs TransformHandleTypeInterface:$selected);
  let assemblyFormat = "$target `kind` `(` $kind `)` attr-dict `:` functional-type($target, $selected)";
}

def Heddle_LowerLinearTilesOp : Heddle_LowerOp<"lower_linear_tiles", [AttrSizedOperandSegments]> {
  let summary = "lowers heddle.linear to products of tiles in workgroup memory and registers";
  let description = [{
    Makes one scf.forall over blocks of `rows` x `columns` elements of the result. A workgroup computes each block. The
    sums of a block are a tile in the registers of `warp_rows` x `warp_columns` warps, in fragments of `kind`. A loop
    along the contraction copies tiles of the input and of the weight, with a depth of `depth`, into workgroup memory
    and adds their product (linalg.matmul). At the end, a linalg.generic applies bias, activation and residual. If a
    tile extends beyond the end of its matrix, the copy fills the rest of the tile with zeros.

    If the factors of a kind are narrower than its sums, the elements of the weight must be numbers of the type of the
    factors: the weight is stored in this type, or it is a transposition of such a weight. The same is required of the
    rows, unless the layer rounds them to this type. If elements are not stored in the type of the factors, copies into
    tiles convert them. The sums and the elements in the epilogue have the type of the result.

    The number of warps is halved until a workgroup has at most `threads` threads. If a lane would then have more than
    128 sums (64 of f64), the block is halved as well. Then the block is halved until it is less than twice as large as
    the result, and further until there are `blocks` blocks or it has at most 64 rows and columns, as long as it
    consists of whole fragments of all warps. Each time, the number of warps is halved, too, if it is more than 2, or if
    the block cannot be halved otherwise. If there are still fewer than `blocks` blocks, the block is halved while this
    reduces padding. If the number of rows lies in a range, the blocks of the highest number are counted or, with
    `fewest_rows`, those of the lowest number.

    The loop has `stages` buffers for each tile in workgroup memory, but not more than it has steps. While a step
    computes, the copies for the following steps run; the number of these steps is one less than the number of buffers.

    With `parts`, if there are at most a quarter as many blocks as `workgroups`, the contraction is divided into parts.
    The scf.forall is then over blocks and parts, and writes the sums of each part. A second scf.forall adds the sums of
    the parts in their order and applies bias, activation and residual. The number of blocks times the number of parts
    is at least `workgroups`, unless parts would then have fewer than `terms` terms. Contractions of f64 are not
    divided, since the fragments of the second scf.forall (#heddle.rows) support only f32.

    Only the compiler stages for devices distribute tiles over lanes, so the verifier refuses the operation in a
    strategy for CPUs.

    #### Return modes
    A definite failure if the target is not a heddle.linear that transform.heddle.match_linear_tiles matches, if the
    block does not consist of whole fragments of all warps, if a lane would have more than 128 sums (64 of f64), or if
    the number of warps cannot be halved until `threads` suffice.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, Heddle_FragmentKind:$kind, Heddle_Param:$rows,
                       Heddle_Param:$columns, Heddle_Param:$depth, Heddle_Param:$warp_rows, Heddle_Param:$warp_columns,
                       Heddle_Param:$threads, Heddle_Param:$blocks, Heddle_Param:$stages,
                       Optional<Heddle_Param>:$workgroups, Optional<Heddle_Param>:$terms, UnitAttr:$for_fewest_rows);
  let assemblyFormat = [{
    $target `kind` `(` $kind `)` `block` `(` $rows `x` $columns `)` `depth` `(` $depth `)`
    `warps` `(` $warp_rows `x` $warp_columns `)` `threads` `(` $threads `)`
    `blocks` `(` $blocks (`fewest_rows` $for_fewest_rows^)? `)` `stages` `(` $stages `)`
    (`parts` `(` $workgroups^ `workgroups` `,` $terms `terms` `)`)?
    attr-dict `:` type($target)
  }];
  let hasVerifier = 1;
}

def Heddle_LowerRowTilesOp : Heddle_LowerOp<"lower_row_tiles"> {
  let summary = "lowers a softmax or norm to operations on rows that are in registers";
  let description = [{
    Makes one scf.forall over blocks of rows. A workgroup of at most `warps` warps and `threads` threads computes each
    block. A block is a tile in registers, in fragments of #heddle.rows: a warp has a whole row or, if rows are short,
    several rows. If there are few rows, several warps share a row. The rows are copied into the tile once. Reductions
    along rows and elementwise operations (linalg.generic) follow; the last operation writes the result. A residual is
    added in registers. At most `lanes` lanes of a warp share a row, but more if each of them would have more than 64
    elements of it. A lane accesses several adjacent elements at once, up to 128 bits, if their number divides the
    length of a row.

    `blocks` is the number of workgroups that fill a device. A row is shared by 2^n warps, where n is as large as
    possible if each of these warps must have at least `columns` columns and there must be at most 4 `blocks` warps in
    all. The warps of a workgroup form rows of 2^n warps; the number of these rows is halved until there are `blocks`
    blocks or the number is odd. If rows share a scale or a bias, which a warp reads once, each warp has 2^k times as many
    rows, where k is as large as possible if a lane must have at most 128 elements and there must be `blocks` blocks for
    the fewest rows.

    Only the compiler stages for devices distribute tiles over lanes, so the verifier refuses the operation in a
    strategy for CPUs.

    #### Return modes
    A definite failure for a target that transform.heddle.match_row_tiles does not match, if `threads` is less than the
    number of threads of a warp, if a workgroup would have more than 32 warps, and if `lanes` is no power of two or is
    more than 32.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, Heddle_Param:$warps, Heddle_Param:$threads,
                       Heddle_Param:$blocks, Heddle_Param:$columns, Heddle_Param:$lanes);
  let assemblyFormat = [{
    $target `warps` `(` $warps `)` `threads` `(` $threads `)` `blocks` `(` $blocks `)` `columns` `(` $columns `)`
    `lanes` `(` $lanes `)` attr-dict `:` type($target)
  }];
  let hasVerifier = 1;
}

def Heddle_LowerAttentionTilesOp : Heddle_LowerOp<"lower_attention_tiles"> {
  let summary = "lowers heddle.attention to products of tiles in workgroup memory and registers";
  let description = [{
    Makes an scf.forall over batch, heads and blocks of at most `queries` queries. A workgroup of at most `warps` warps
    computes each block: it loops over blocks of `keys` keys with an online softmax. Tiles of the queries, of the keys
    and of the values are copied into workgroup memory. Scores, the sums of weighted values, the largest score of each
    query and the sum of its weights are tiles in registers, in fragments of the first of `kinds` that matches. All
    operations on tiles are linalg ops. The loop has `stages` buffers for the tiles of keys and of values, but not more
    than it has steps if their number is known.

    Then an scf.forall over all queries computes again, key by key, the results of queries that are not finite, because
    a product of tiles multiplies the values of removed keys by 0, which yields NaN if a value is not finite.

    The block is made smaller until it fits (AttentionTileBlock.h): into `threads` threads, to the number of queries,
    into the registers of the lanes and into `kib` KiB of workgroup memory. The number of queries is then halved until
    there are `blocks` workgroups or the block has 64 queries. If there are still fewer workgroups, the number of keys
    is doubled if the larger block fits, this adds no padding, and copies into tiles do not convert elements.

    With `approximate` = 1, the weights of attention that rounds them are computed by an approximation of 2^x, which is one
    instruction of the device; its error is small compared with the rounding. With 0, the default, the weights are
    computed like those of attention that does not round.

    Only the compiler stages for devices distribute tiles over lanes, so the verifier refuses the operation in a
    strategy for CPUs.

    #### Return modes
    A definite failure for a target that transform.heddle.match_attention_tiles does not match, if the block does not
    consist of whole fragments of all warps, and if it cannot be made small enough.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, Heddle_FragmentKinds:$kinds, Heddle_Param:$queries,
                       Heddle_Param:$keys, Heddle_Param:$warps, Heddle_Param:$stages, Heddle_Param:$threads,
                       Heddle_Param:$kib, Heddle_Param:$blocks, Optional<Heddle_Param>:$approximate);
  let assemblyFormat = [{
    $target `kinds` `(` $kinds `)` `block` `(` $queries `x` $keys `)` `warps` `(` $warps `)` `stages` `(` $stages `)`
    `threads` `(` $threads `)` `kib` `(` $kib `)` `blocks` `(` $blocks `)` (`approximate` `(` $approximate^ `)`)?
    attr-dict `:` type($target)
  }];
  let hasVerifier = 1;
}

def Heddle_LowerAttentionPartsOp : Heddle_LowerOp<"lower_attention_parts"> {
  let summary = "lowers heddle.attention on few queries to tiles, with the keys divided among workgroups";
  let description = [{
    Makes an scf.forall over batch, groups of heads that share a key head, and parts of the keys. A workgroup computes the
    online softmax of all queries of a group over one part, in steps of `keys` keys, with tiles like those of
    transform.heddle.lower_attention_tiles. For each query, it writes the largest score of the part, the sum of the
    exponentials, and the sum of the weighted values. A second scf.forall joins the parts in their order. It also
    computes again, key by key, the elements of the result that are not finite.

    The queries of a group are rows of one tile, and each fragment of rows has a warp of its own. A group has as many of
    the heads that share a key head as `threads` and `kib` allow. It has one head if the queries of different heads are
    not adjacent rows of query and result. The loop has `stages` buffers for the tiles of keys and of values, but not
    more than a part has steps (or 2, if it has one), and only one if more do not fit into `kib` KiB. If keys or values
    are not stored in the type of the kind's factors, copies into tiles pass through registers, and steps have fewer
    keys if these registers do not suffice.

    Parts are as large as possible, but there are at least `blocks` workgroups, if there are enough steps for them and a
    part has at least eight keys for each query of the group. If the batch size lies in a range, its minimum counts; if
    the number of keys does, its maximum. If all keys are one part, the first scf.forall writes the result, and the
    second one computes again the queries whose results are not finite. `approximate` has the same meaning as in
    transform.heddle.lower_attention_tiles.

    Only the compiler stages for devices distribute tiles over lanes, so the verifier refuses the operation in a
    strategy for CPUs.

    #### Return modes
    A definite failure for a target that transform.heddle.match_attention_parts does not match for any `at_most`, if
    `keys` is no multiple of the sizes of the kind's fragments, and if a workgroup cannot compute the queries of one
    head.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, Heddle_FragmentKinds:$kinds, Heddle_Param:$keys,
                       Heddle_Param:$stages, Heddle_Param:$threads, Heddle_Param:$kib, Heddle_Param:$blocks,
                       Optional<Heddle_Param>:$approximate);
  let assemblyFormat = [{
    $target `kinds` `(` $kinds `)` `keys` `(` $keys `)` `stages` `(` $stages `)` `threads` `(` $threads `)`
    `kib` `(` $kib `)` `blocks` `(` $blocks `)` (`approximate` `(` $approximate^ `)`)? attr-dict `:` type($target)
  }];
  let hasVerifier = 1;
}

#endif // HEDDLE_TRANSFORM_TILE_OPS_TD
