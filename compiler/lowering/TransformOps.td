//===- TransformOps.td - transform ops for strategies ---------------------===//
//
// Transform operations for schedules, beside upstream's. Their C++ code is in
// this folder and those below it, in a file named after the operation where it
// has one of its own: transform.heddle.lower_linear is in
// panels/LowerLinear.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TRANSFORM_OPS_TD
#define HEDDLE_TRANSFORM_OPS_TD

include "mlir/Dialect/Transform/IR/TransformDialect.td"
include "mlir/Dialect/Transform/IR/TransformTypes.td"
include "mlir/Dialect/Transform/Interfaces/MatchInterfaces.td"
include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// A number, as a parameter of type i64. The type is not written in the assembly format.
def Heddle_Param : Type<
    CPred<"::llvm::isa<::mlir::transform::ParamType>($_self) && "
          "::llvm::cast<::mlir::transform::ParamType>($_self).getType().isInteger(64)">,
    "a parameter of i64", "::mlir::transform::ParamType">,
  BuildableType<"::mlir::transform::ParamType::get($_builder.getContext(), $_builder.getI64Type())">;

/// The base class of ops that change one payload op at a time. The C++ code of the op is its method applyToOne.
class Heddle_TransformOp<string mnemonic, list<Trait> traits = []>
    : Op<Transform_Dialect, "heddle." # mnemonic, !listconcat(traits, [
        DeclareOpInterfaceMethods<TransformOpInterface>,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>])> {
  let cppNamespace = "::heddle::transforms";
  let extraClassDeclaration = [{
    ::mlir::DiagnosedSilenceableFailure applyToOne(::mlir::transform::TransformRewriter &rewriter,
                                                   ::mlir::Operation *target,
                                                   ::mlir::transform::TransformState &state);
  }];
  string applyBody = [{
    ::mlir::DiagnosedSilenceableFailure $cppClass::apply(::mlir::transform::TransformRewriter &rewriter,
        ::mlir::transform::TransformResults &results, ::mlir::transform::TransformState &state) {
      for (::mlir::Operation *target : ::llvm::to_vector(state.getPayloadOps(getTarget()))) {
        rewriter.setInsertionPoint(target);
        ::mlir::DiagnosedSilenceableFailure result = applyToOne(rewriter, target, state);
        if (!result.succeeded())
          return result;
      }
      return ::mlir::DiagnosedSilenceableFailure::success();
    }
  }];
  let extraClassDefinition = applyBody # [{
    void $cppClass::getEffects(::llvm::SmallVectorImpl<::mlir::MemoryEffects::EffectInstance> &effects) {
      ::heddle::transforms::addEffects(getOperation(), /*consumed=*/false, effects);
    }
  }];
}

/// The base class of ops that replace their payload op, so that the handle is invalid afterwards.
class Heddle_LowerOp<string mnemonic, list<Trait> traits = []>
    : Heddle_TransformOp<mnemonic, traits> {
  let extraClassDefinition = applyBody # [{
    void $cppClass::getEffects(::llvm::SmallVectorImpl<::mlir::MemoryEffects::EffectInstance> &effects) {
      ::heddle::transforms::addEffects(getOperation(), /*consumed=*/true, effects);
    }
  }];
}

def Heddle_ShareOp : Op<Transform_Dialect, "heddle.share", [
    DeclareOpInterfaceMethods<TransformOpInterface>, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    ParamProducerTransformOpTrait]> {
  let summary = "a share of a number, such as the part of a memory that one buffer may take";
  let description = [{
    The result is `parts` of `of` equal parts of `whole`, rounded down.

    #### Return modes
    A definite failure if the whole is not positive.
  }];
  let cppNamespace = "::heddle::transforms";
  let arguments = (ins ConfinedAttr<I64Attr, [IntPositive]>:$parts, ConfinedAttr<I64Attr, [IntPositive]>:$of,
                       Heddle_Param:$whole);
  let results = (outs Heddle_Param:$share);
  let assemblyFormat = "$parts `of` $of `in` $whole attr-dict";
}

def Heddle_PackWeightOp : Heddle_TransformOp<"pack_weight"> {
  let summary = "packs the weight operand of heddle.linear into panels";
  let description = [{
    The weight [K, N] becomes [ceil(N / panel), K, panel]. If it is an argument
    of a private function and every caller passes a heddle.weight, the recipe of each
    of these is extended and the argument's type changes, so that packing costs nothing at
    run time. Otherwise (a computed matrix, one caller without a recipe) nothing
    changes, and lower_linear packs into scratch memory. `shared` is a pair of parameters: how many panels are
    interleaved (0: none, `panel` is used), and the columns of each. Interleaved panels can be used by tiles of one
    panel as well as by tiles of all of them, so that kernels with different tiles can share the weight.

    #### Return modes
    A definite failure for a target that is no heddle.linear.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, Heddle_Param:$panel, Variadic<Heddle_Param>:$shared);
  let assemblyFormat = "$target `panel` `(` $panel `)` (`shared` `(` $shared^ `)`)? attr-dict `:` type($target)";
}

def Heddle_LowerAttentionOp : Heddle_LowerOp<"lower_attention", [AttrSizedOperandSegments]> {
  let summary = "expands heddle.attention into loops over blocks of queries and keys";
  let description = [{
    Makes an scf.forall over batch, heads and blocks of at most `block_q` queries. A block is padded to a multiple of
    `lanes`; under plain causal order it has a power of two times `lanes` queries, up to `block_k`. In it is a loop over
    blocks of at most `block_k` keys with linalg on slices: scores, running maximum and sum, weighted values, all in
    place. Blocks of keys that causal order, window or key lengths remove are skipped, and only blocks at the edge
    compare positions. A block that plain causal order cuts from corner to corner is computed in steps of `lanes` keys
    by the queries that see them. Keys that a mask removes at both ends are skipped. With `whole`, neither is done. The
    softmax is computed at once over all keys, not online, if all keys fit into one block (or one of half as many
    again), with `stored`, and if the softmax weights are a result.

    `query_kib` is the maximum size of a block of queries in KiB, for targets with little memory. Wide heads then have
    fewer queries in a block, a power of two, and as many lanes. `score_kib` is the maximum size of the scores of a
    block, if the scores of all keys are stored.

    With `in_rows`, for few queries, a score is a dot product along the head, and keys lie in lanes. A task takes all
    queries of a head, or of all heads that share a key head if these are at most `block_q` together. With `in_parts` as
    well, blocks of keys are separate tasks (several blocks each, if there are many), and a second scf.forall joins
    their results, in their order. Keys and values of a state are prefetched into the cache `past_cache` (1, the
    first-level cache, by default).

    If `bf16_dots` is given and not 0, attention that rounds to bf16 multiplies pairs of bf16 (heddle.pair_dot). Two
    cases multiply the rounded numbers in f32: `in_rows`, and a task that starts again because its result is not finite.

    #### Return modes
    A definite failure for a target that is no heddle.attention, has dynamic sizes or elements other than f32 and f64.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, Heddle_Param:$lanes, Heddle_Param:$block_q,
    Optional<Heddle_Param>:$block_k, UnitAttr:$stored, UnitAttr:$in_rows, UnitAttr:$in_parts,
    UnitAttr:$whole, Optional<Heddle_Param>:$query_kib, Optional<Heddle_Param>:$score_kib,
    Optional<Heddle_Param>:$past_cache, Optional<Heddle_Param>:$bf16_dots);
  let assemblyFormat = [{
    $target `lanes` `(` $lanes `)` `block_q` `(` $block_q `)` (`block_k` `(` $block_k^ `)`)? (`stored` $stored^)?
    (`in_rows` $in_rows^)? (`in_parts` $in_parts^)? (`whole` $whole^)?
    (`query_kib` `(` $query_kib^ `)`)? (`score_kib` `(` $score_kib^ `)`)? (`past_cache` `(` $past_cache^ `)`)?
    (`bf16_dots` `(` $bf16_dots^ `)`)? attr-dict `:` type($target)
  }];
}

def Heddle_LowerAttentionHeadsOp : Heddle_LowerOp<"lower_attention_heads"> {
  let summary = "expands heddle.attention with narrow heads into loops over vectors of heads";
  let description = [{
    Makes an scf.forall over batch and blocks of queries. In it, keys and values [heads][D] are transposed
    to [D][heads]. Then follows a loop over queries, in steps of as many as fit into two vectors of `lanes`; each lane
    is a query of one head. All keys are one block, whose softmax weights are not stored.

    #### Return modes
    A definite failure for a target that is no heddle.attention or that match_head_lanes
    does not match.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, Heddle_Param:$lanes);
  let assemblyFormat = "$target `lanes` `(` $lanes `)` attr-dict `:` type($target)";
}

def Heddle_LowerLinearAttentionOp : Heddle_LowerOp<"lower_linear_attention"> {
  let summary = "expands heddle.linear_attention into two contractions per head";
  let description = [{
    Makes an scf.forall over the leading dimensions. In it, f(key)^T value is summed into a [D, Dv] matrix, by which the
    rows of f(query) are multiplied. The divisors of a normalized result are computed alike, in as many copies as a
    vector has `lanes`.

    `block_kib` is for targets with little memory: a task takes so many columns of the matrix, and a loop in it takes so
    many rows at once, that each fits into `block_kib` KiB, but at least one.

    #### Return modes
    A definite failure for a target that is no heddle.linear_attention, has dynamic sizes or elements other than f32 and
    f64.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, Heddle_Param:$lanes, Optional<Heddle_Param>:$block_kib);
  let assemblyFormat = [{
    $target `lanes` `(` $lanes `)` (`block_kib` `(` $block_kib^ `)`)? attr-dict `:` type($target)
  }];
}

def Heddle_LowerRecurrentAttentionOp : Heddle_LowerOp<"lower_recurrent_attention"> {
  let summary = "expands heddle.recurrent_attention into a loop over positions per head";
  let description = [{
    Makes an scf.forall over batch, heads and groups of columns of the values. A group has as many columns as a state of
    `state_kib` KiB holds, but at least one. In it is a loop over the positions that carries these columns of the state.

    #### Return modes
    A definite failure for a target that is no heddle.recurrent_attention, has dynamic
    sizes or elements other than f32 and f64.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, Heddle_Param:$state_kib);
  let assemblyFormat = "$target `state_kib` `(` $state_kib `)` attr-dict `:` type($target)";
}

def Heddle_LowerAppendOp : Heddle_LowerOp<"lower_append"> {
  let summary = "expands heddle.append into copies of the new rows, with a task for each head";
  let description = [{
    Makes an scf.forall over batch and heads on the state, and on its scales if it has any. In it, a loop over the new
    rows writes each to its position. Elements are converted to the state's type, or become integers with a scale. No
    other row of the state is read or written.

    `elements`: each element of the new rows is an iteration of the scf.forall. If the kernel may not write to the
    state, each element of the result is one.

    #### Return modes
    A definite failure for a target that is no heddle.append or has dynamic sizes.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, UnitAttr:$elements);
  let assemblyFormat = "$target (`elements` $elements^)? attr-dict `:` type($target)";
}

def Heddle_VectorizeOp : Heddle_TransformOp<"vectorize"> {
  let summary = "rewrites every linalg op in the target as loops over 1-D vectors";
  let description = [{
    Tiles have static sizes. The innermost dimension of a result lies along the lanes, and reductions are loops that
    carry a register tile. `registers` describes the vector registers of the CPU: how many, and of how many bits each.
    Attention marked by lower_attention_heads is expanded as well.

    By default tiles have a few vectors: remainders are masked, and rows are unrolled up to a register tile. A tile of
    at most 32 vectors (for reductions: two fewer than there are registers) is unrolled as a whole and passed in
    registers to the next op of its block; canonicalization then removes the tensors between them.

    With `blocks`, tiles are blocks that lie in a cache: every dimension but the last is a loop, and operands that do
    not depend on the lanes are scalars. The accumulators of a contraction (up to 12 rows times up to 4 vectors, as many
    as `registers` allow) stay in registers. An elementwise epilogue right behind it takes them there. Remainders are
    peeled with their static size. An operand that has the lanes in another dimension is transposed in square tiles of
    as many rows as lanes, or half as many if there are fewer `registers`. Reductions of the last dimension of their
    operands are accumulated in vectors, which are then folded into a vector of results.

    #### Return modes
    A definite failure for a dynamic size, a body that is not elementwise or, in blocks, another shape, and for
    registers that hold fewer than 4 vectors of `lanes` elements of f32.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, Heddle_Param:$lanes, UnitAttr:$blocks,
                       Heddle_Param:$registers, Heddle_Param:$bits);
  let assemblyFormat = [{
    $target `lanes` `(` $lanes `)` (`blocks` $blocks^)? `registers` `(` $registers `x` $bits `)` attr-dict
    `:` type($target)
  }];
}

def Heddle_LowerLinearOp : Heddle_LowerOp<"lower_linear"> {
  let summary = "lowers heddle.linear to register tiles over blocks of rows and panels of columns";
  let description = [{
    Makes one scf.forall over (blocks of rows, panels), with a loop over row tiles in it, and one
    tile for the remaining rows. Columns behind the last full panel are separate tasks.
    A register tile is linalg.fill, linalg.matmul and one linalg.generic with bias,
    activation and residual. `registers` is the number of accumulators of `lanes` elements, which determines
    the tile's rows; if the contraction has at most 32 terms, half as many are used. `panel` is the number of
    columns of a tile. A tile of a packed weight has the columns of all interleaved panels if these are `panel`
    together, else the columns of one panel.

    `weight` has four parameters about the path of a packed weight through the caches:
    - the maximum size, in KiB, of a panel that many rows use. A larger panel is cut along the contraction into equal
      parts, whose products are added up in memory (0: never);
    - the prefetch distance in panels: while a panel is used, the one that follows at this distance is prefetched
      (0: no prefetch),
    - the minimum number of rows of a task for which panels are prefetched,
    - and the cache to prefetch into, where 1 is the first-level cache.

    #### Return modes
    A definite failure for a target that is no heddle.linear or has a dynamic shape.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, Heddle_Param:$lanes, Heddle_Param:$panel,
                       Heddle_Param:$registers, Variadic<Heddle_Param>:$weight);
  let assemblyFormat = [{
    $target `lanes` `(` $lanes `)` `panel` `(` $panel `)` `registers` `(` $registers `)` (`weight` `(` $weight^ `)`)?
    attr-dict `:` type($target)
  }];
}

def Heddle_LowerRoundedLinearOp : Heddle_LowerOp<"lower_rounded_linear"> {
  let summary = "lowers a heddle.linear that rounds its rows to dot products of narrow types";
  let description = [{
    Tasks round each row of the input once, into memory. Then the layer is lowered as in lower_linear, with register
    tiles of heddle.dot, whose sums of integers become f32 in the tile. The weight's recipe is extended: it is packed
    into panels of `panel` columns, or if `interleaved` is not 0, into that many interleaved panels of `lanes` columns;
    the elements that a lane multiplies at a time lie side by side. Rounded rows are unsigned bytes if `unsigned` is not
    0; which of the two is cheaper depends on the CPU. `row_bits`, 8 or 16, is the width of rows rounded to integers.
    Rows of 16 bits are multiplied with bytes, two elements at a time, and their zero points are subtracted when they
    are rounded.

    #### Return modes
    A definite failure for a target that is no heddle.linear, or that match_rounding `dots` does not match.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, Heddle_Param:$lanes, Heddle_Param:$panel,
                       Heddle_Param:$interleaved, Heddle_Param:$registers, Heddle_Param:$is_unsigned,
                       Heddle_Param:$row_bits, Variadic<Heddle_Param>:$weight);
  let assemblyFormat = [{
    $target `lanes` `(` $lanes `)` `panel` `(` $panel `)` `interleaved` `(` $interleaved `)` `registers` `(` $registers
    `)`
    `unsigned` `(` $is_unsigned `)` `row_bits` `(` $row_bits `)` (`weight` `(` $weight^ `)`)? attr-dict `:` type($target)
  }];
}

def Heddle_RoundRowsOp : Heddle_LowerOp<"round_rows"> {
  let summary = "rounds the rows of heddle.linear in tasks of their own, and makes it a layer without rounding";
  let description = [{
    Replaces each row by its rounded values (integers times their scale), as f32 in memory. The format of the
    weight does not matter.

    #### Return modes
    A definite failure for a target that is no heddle.linear with a rounding, or has a dynamic shape.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target);
  let assemblyFormat = "$target attr-dict `:` type($target)";
}

def Heddle_LowerLinearBlocksOp : Heddle_LowerOp<"lower_linear_blocks"> {
  let summary = "lowers heddle.linear to blocks that the threads of a workgroup share";
  let description = [{
    Makes one scf.forall over blocks of `rows` x `columns` of the result. In it is a loop over the contraction in steps
    of `depth`. In each step, parallel loops over threads load a tile of the input and one of the weight, and each
    thread adds up `thread_rows` rows times `vectors` vectors of 4 columns. At the end the threads apply bias,
    activation and residual. If there are fewer rows than a block has, there is one block with fewer rows per thread. A
    packed weight has panels of `columns`. `depth` is for f32; for f64 it is halved, so that tiles have as many bytes.

    #### Return modes
    A definite failure for a target that is no heddle.linear, has elements other than f32 and f64, or a block that does
    not consist of whole register tiles.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, Heddle_Param:$rows, Heddle_Param:$columns,
                       Heddle_Param:$depth, Heddle_Param:$thread_rows, Heddle_Param:$vectors);
  let assemblyFormat = [{
    $target `block` `(` $rows `x` $columns `)` `depth` `(` $depth `)` `registers` `(` $thread_rows `x` $vectors `)`
    attr-dict `:` type($target)
  }];
}

def Heddle_BlockRowsOp : Heddle_LowerOp<"block_rows"> {
  let summary = "cuts heddle.linear or heddle.ffn into tasks that each own some rows";
  let description = [{
    Makes one scf.forall over equal blocks of at most `rows` rows, with the same op on a
    block in it. Intermediate results of a block (the hidden tensor of an FFN)
    stay in the cache of a core, and every task reads all weights. The op is left as it
    is if one block takes all rows. The lowering of the op in the block makes loops
    that run on the task's thread.

    #### Return modes
    A definite failure for another target or a dynamic shape.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, Heddle_Param:$rows);
  let assemblyFormat = "$target `rows` `(` $rows `)` attr-dict `:` type($target)";
}

def Heddle_LowerNormOp : Heddle_LowerOp<"lower_norm"> {
  let summary = "lowers heddle.layer_norm or heddle.rms_norm to tiles of rows";
  let description = [{
    Makes tasks over blocks of rows. In each are tiles of `rows` rows that are read from memory
    once and stay in the cache for the sums and the result. With `streams`, the input comes from
    memory and the result goes to memory: one row after the other is summed, and
    heddle-stream-results is requested to let the result bypass the caches. With `apart`, each
    tile is a task.

    #### Return modes
    A definite failure for another target or a dynamic shape.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, Heddle_Param:$rows, UnitAttr:$apart, UnitAttr:$streams);
  let assemblyFormat = [{
    $target `rows` `(` $rows `)` (`apart` $apart^)? (`streams` $streams^)? attr-dict `:` type($target)
  }];
}

def Heddle_LowerSoftmaxOp : Heddle_LowerOp<"lower_softmax"> {
  let summary = "lowers linalg.softmax along any dimension";
  let description = [{
    Along the last dimension, there are tiles of `rows` rows. Along another dimension, the
    dimensions after it lie in the lanes. `apart` and `streams` are as in lower_norm.

    #### Return modes
    A definite failure for another target or a dynamic shape.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, Heddle_Param:$rows, UnitAttr:$apart, UnitAttr:$streams);
  let assemblyFormat = [{
    $target `rows` `(` $rows `)` (`apart` $apart^)? (`streams` $streams^)? attr-dict `:` type($target)
  }];
}

def Heddle_DecomposeFfnOp : Heddle_LowerOp<"decompose_ffn"> {
  let summary = "replaces heddle.ffn by heddle.linear ops around a hidden tensor";
  let arguments = (ins TransformHandleTypeInterface:$target);
  let assemblyFormat = "$target attr-dict `:` type($target)";
}

def Heddle_GeneralizeOp : Heddle_TransformOp<"generalize"> {
  let summary = "turns the ops around a kernel's root into few linalg.generic ops";
  let description = [{
    Elementwise arith and math, broadcasts and transposes become linalg.generic and are
    fused. Unit dimensions are dropped, and loops that every operand goes through together are
    joined. A contraction stays a contraction.

    #### Return modes
    A definite failure for a target that is no function.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target);
  let assemblyFormat = "$target attr-dict `:` type($target)";
}

def Heddle_LowerGeneralOp : Heddle_TransformOp<"lower_general"> {
  let summary = "cuts every remaining linalg op of a function's body into tasks and tiles";
  let description = [{
    Contractions with any order of dimensions become register tiles of `registers` accumulators of
    `lanes` elements over panels of `panel` columns, which are packed at run time if that pays off.
    Concatenation, padding and returned views become copies. Every other op is cut along its outer
    dimensions.

    #### Return modes
    A definite failure for a target that is no function or a dynamic shape.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, Heddle_Param:$lanes, Heddle_Param:$panel,
                       Heddle_Param:$registers);
  let assemblyFormat = [{
    $target `lanes` `(` $lanes `)` `panel` `(` $panel `)` `registers` `(` $registers `)` attr-dict `:` type($target)
  }];
}

def Heddle_LowerElementsOp : Heddle_TransformOp<"lower_elements"> {
  let summary = "makes every element of every linalg op's results one iteration of a parallel loop";
  let description = [{
    The sum of an element is carried in scalars. Inside a task of another lowering, these loops are over the threads of
    a workgroup; if there are fewer elements than `threads`, the sums are shared among threads as well. With `wide`,
    these loops compute thread tiles of a few rows times four elements, for heddle.vectorize, if the tile of the
    workgroup can be cut into them. Concatenation, padding and returned views become copies.

    #### Return modes
    A definite failure for a target that is no function, a dynamic shape, a size in a range, and a result whose elements
    are written by several iterations.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, Heddle_Param:$threads, UnitAttr:$wide);
  let assemblyFormat = "$target `threads` `(` $threads `)` (`wide` $wide^)? attr-dict `:` type($target)";
}

def Heddle_DecomposeRotaryOp : Heddle_LowerOp<"decompose_rotary"> {
  let summary = "replaces heddle.rotary_embedding by linalg ops on the rotated and the other parts of the head";
  let description = [{
    #### Return modes
    A definite failure for another target or a dynamic shape.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target);
  let assemblyFormat = "$target attr-dict `:` type($target)";
}

include "TransformMatchOps.td"

#endif // HEDDLE_TRANSFORM_OPS_TD
