//===- TransformOps.td - transform ops that strategies are written with ---===//
//
// What a schedule cannot say with upstream's transform ops. Each op's body is in
// the file of its name: transform.heddle.lower_linear in LowerLinear.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TRANSFORM_OPS_TD
#define HEDDLE_TRANSFORM_OPS_TD

include "mlir/Dialect/Transform/IR/TransformDialect.td"
include "mlir/Dialect/Transform/IR/TransformTypes.td"
include "mlir/Dialect/Transform/Interfaces/MatchInterfaces.td"
include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// A number. Its type is known, and not written.
def Heddle_Param : Type<
    CPred<"::llvm::isa<::mlir::transform::ParamType>($_self) && "
          "::llvm::cast<::mlir::transform::ParamType>($_self).getType().isInteger(64)">,
    "a parameter of i64", "::mlir::transform::ParamType">,
  BuildableType<"::mlir::transform::ParamType::get($_builder.getContext(), $_builder.getI64Type())">;

/// Base of ops that change one payload op at a time: C++ supplies applyToOne.
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

/// The op that the handle names is gone afterwards.
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
  let summary = "a part of a number, such as that of a memory which one buffer may take";
  let description = [{
    `parts` of `of` equal parts of `whole`, rounded down.

    #### Return modes
    A definite failure for a whole that is not positive.
  }];
  let cppNamespace = "::heddle::transforms";
  let arguments = (ins ConfinedAttr<I64Attr, [IntPositive]>:$parts, ConfinedAttr<I64Attr, [IntPositive]>:$of,
                       Heddle_Param:$whole);
  let results = (outs Heddle_Param:$share);
  let assemblyFormat = "$parts `of` $of `in` $whole attr-dict";
}

def Heddle_PackWeightOp : Heddle_TransformOp<"pack_weight"> {
  let summary = "brings the weight operand of heddle.linear into panels";
  let description = [{
    The weight [K, N] becomes [ceil(N / panel), K, panel]. Where it is an argument
    of a private function and every caller passes a heddle.weight, the recipe of each
    of these is extended and the argument's type changes: packing costs nothing at
    run time. Otherwise (a computed matrix, one caller without a recipe) nothing
    changes and lower_linear packs into scratch. `shared` says in two parameters how many panels
    (unless it is 0) of how many columns lie abreast instead: for other code, too, whose tiles are narrower.

    #### Return modes
    A definite failure for a target that is no heddle.linear.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, Heddle_Param:$panel, Variadic<Heddle_Param>:$shared);
  let assemblyFormat = "$target `panel` `(` $panel `)` (`shared` `(` $shared^ `)`)? attr-dict `:` type($target)";
}

def Heddle_LowerAttentionOp : Heddle_LowerOp<"lower_attention", [AttrSizedOperandSegments]> {
  let summary = "expands heddle.attention into loops over query and key blocks";
  let description = [{
    scf.forall over batch, heads and blocks of at most `block_q` queries (padded to
    multiples of `lanes`; under plain causal order a power of two of them, up to `block_k`);
    in it a loop over blocks of at most `block_k` keys with linalg on slices: scores,
    running maximum and sum, weighted values, all in place.
    Key blocks that causal, window or key lengths remove are skipped, and only blocks
    at the edge compare positions. A block that plain causal order cuts from corner to corner is
    computed in steps of `lanes` keys by the queries that see them, unless it is to stay `whole`; then the keys that a
    mask removes at both ends are not looked for either. Where all keys fit one block (or one of half as many again),
    with `stored`, and where the weights are a result, the softmax is not split.

    `query_kib` is the most KiB that a block of queries takes, for memories that hold no more: wide heads have fewer
    queries in a block, a power of two, and as many lanes. `score_kib` is the same of their scores, where those of all
    keys are stored.

    With `in_rows`, for few queries, a score is a dot product along the head and keys lie in
    lanes; a task takes all queries of a head, or of the heads that share a key head where
    these are at most `block_q` together. With `in_parts` as well, blocks of keys are tasks of their own (some blocks
    each, where there are many), and a second scf.forall joins what they leave, in their order. Keys and values of a
    state are asked for before they are read, into the cache `past_cache` (1, the first one, unless it is said).

    Attention that rounds to bf16 multiplies pairs of them (heddle.pair_dot) where `bf16_dots` is given and not 0, but
    for `in_rows` and a task that starts again because its result is not finite: these multiply what was rounded in f32.

    #### Return modes
    A definite failure for a target that is no heddle.attention, has dynamic sizes or
    elements other than f32.
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
  let summary = "expands heddle.attention of narrow heads into loops over vectors of heads";
  let description = [{
    scf.forall over batch and blocks of queries; in it keys and values [heads][D] are turned
    into [D][heads], and a loop over queries, as many as fit two vectors of `lanes`, a lane
    being a query of a head. All keys are one block, whose weights are not stored.

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
    scf.forall over the leading dimensions; in it f(key)^T value is summed into a
    [D, Dv] matrix, which the rows of f(query) multiply; what these are divided by, in as many
    copies as a vector has `lanes`.

    `block_kib` is for memories that hold no more: a task has as many columns of the matrix, and a loop in it takes as
    many rows at once, as fit so many KiB, but at least one.

    #### Return modes
    A definite failure for a target that is no heddle.linear_attention, has dynamic
    sizes or elements other than f32.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, Heddle_Param:$lanes, Optional<Heddle_Param>:$block_kib);
  let assemblyFormat = [{
    $target `lanes` `(` $lanes `)` (`block_kib` `(` $block_kib^ `)`)? attr-dict `:` type($target)
  }];
}

def Heddle_LowerRecurrentAttentionOp : Heddle_LowerOp<"lower_recurrent_attention"> {
  let summary = "expands heddle.recurrent_attention into a loop over positions per head";
  let description = [{
    scf.forall over batch, heads and as many columns of the values at once as a state of `state_kib` KiB has, but at
    least one; in it a loop over the positions that carries these columns of the state.

    #### Return modes
    A definite failure for a target that is no heddle.recurrent_attention, has dynamic
    sizes or elements other than f32 and f64.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, Heddle_Param:$state_kib);
  let assemblyFormat = "$target `state_kib` `(` $state_kib `)` attr-dict `:` type($target)";
}

def Heddle_LowerAppendOp : Heddle_LowerOp<"lower_append"> {
  let summary = "expands heddle.append into copies of the new rows, each head a task";
  let description = [{
    scf.forall over batch and heads on the state, and on its scales if it has any; in it a loop over the new rows, each
    of which is written where it belongs. Elements are converted on the way, or become integers with a scale. No other
    row of the state is read or written.

    `elements`: an iteration of scf.forall for each element of the new rows. Of a state that is none of the kernel's, one
    for each element of the result.

    #### Return modes
    A definite failure for a target that is no heddle.append or has dynamic sizes.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, UnitAttr:$elements);
  let assemblyFormat = "$target (`elements` $elements^)? attr-dict `:` type($target)";
}

def Heddle_VectorizeOp : Heddle_TransformOp<"vectorize"> {
  let summary = "rewrites every linalg op in the target as loops over 1-D vectors";
  let description = [{
    Tiles have static sizes. The innermost dimension of a result follows the lanes, reductions are
    loops that carry a register tile. `registers` are those of the CPU: how many, and of how many
    bits each. Attention whose heads are to lie in lanes is expanded as well.

    Tiles of a few vectors: remainders are masked, rows are unrolled up to a register tile. A tile of
    at most 32 vectors (that reduces: of two less than there are registers) is unrolled whole and goes in
    registers to the next op of its block; canonicalization then removes the tensors between them.

    `blocks` that lie in a cache: every dimension but the last is a loop, operands that do not depend on
    the lanes are scalars. The accumulators of a contraction (up to 12 rows times up to 4 vectors, as many
    as `registers` allow) stay in registers, and what is done to them element by element right behind it
    is done there; remainders are peeled with their static size. An operand that has the lanes elsewhere
    is turned in squares of as many rows as lanes, of half as many with fewer `registers`. What reduces
    the last dimension of its operands is folded in vectors, a vector of results at a time.

    #### Return modes
    A definite failure for a dynamic size, a body that is not elementwise or, in blocks, another shape;
    and for registers that hold fewer than 4 vectors of `lanes` elements of f32.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, Heddle_Param:$lanes, UnitAttr:$blocks,
                       Heddle_Param:$registers, Heddle_Param:$bits);
  let assemblyFormat = [{
    $target `lanes` `(` $lanes `)` (`blocks` $blocks^)? `registers` `(` $registers `x` $bits `)` attr-dict
    `:` type($target)
  }];
}

def Heddle_LowerLinearOp : Heddle_LowerOp<"lower_linear"> {
  let summary = "heddle.linear as register tiles over blocks of rows and panels of columns";
  let description = [{
    One scf.forall over (blocks of rows, panels), in each a loop over row tiles and one
    tile for the rows that are left; columns past the last full panel are tasks of their
    own. A register tile is linalg.fill, linalg.matmul and one linalg.generic with bias,
    activation and residual. `registers` is the number of accumulators of `lanes` elements, from
    which the tile's rows follow, half as many over a contraction of at most 32; `panel` the
    columns of a tile: of a packed weight those of all panels abreast where it has as many, else those of one panel.

    `weight` says in four parameters how a packed weight goes through the caches:
    - the most KiB of a panel that many rows go along at a time; a larger one is cut along
      the contraction into equal parts, whose products are added up in memory (0: never);
    - the panel that is so many further on is brought into the cache meanwhile (0: none),
    - if the task has at least so many rows,
    - and into which cache, 1 being the one next to the core.

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
  let summary = "heddle.linear whose products are dots of what rows are rounded to and the weight is stored in";
  let description = [{
    Tasks round the rows of the input, each once, into memory; then it is as lower_linear, with register tiles of
    heddle.dot, whose sums of integers become f32 in the tile. The weight's recipe is extended: panels of `panel`
    columns, or where `abreast` is not 0 so many of `lanes` columns beside each other, with what a lane multiplies at a
    time side by side. Bytes of rows are unsigned where `unsigned` is not 0: which is cheaper differs between CPUs. Rows
    of integers are kept as such of `row_bits`, 8 or 16: as words they are multiplied with bytes, two at a time, and their
    zeros are taken off before.

    #### Return modes
    A definite failure for a target that is no heddle.linear, or that match_rounding `dots` does not match.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, Heddle_Param:$lanes, Heddle_Param:$panel,
                       Heddle_Param:$abreast, Heddle_Param:$registers, Heddle_Param:$is_unsigned,
                       Heddle_Param:$row_bits, Variadic<Heddle_Param>:$weight);
  let assemblyFormat = [{
    $target `lanes` `(` $lanes `)` `panel` `(` $panel `)` `abreast` `(` $abreast `)` `registers` `(` $registers `)`
    `unsigned` `(` $is_unsigned `)` `row_bits` `(` $row_bits `)` (`weight` `(` $weight^ `)`)? attr-dict `:` type($target)
  }];
}

def Heddle_RoundRowsOp : Heddle_LowerOp<"round_rows"> {
  let summary = "heddle.linear that rounds its rows as one that does not, behind tasks that do";
  let description = [{
    Each row becomes the numbers that its rounding makes of it, as f32 in memory. What weight they are multiplied with
    is of no matter.

    #### Return modes
    A definite failure for a target that is no heddle.linear with a rounding, or has a dynamic shape.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target);
  let assemblyFormat = "$target attr-dict `:` type($target)";
}

def Heddle_LowerLinearBlocksOp : Heddle_LowerOp<"lower_linear_blocks"> {
  let summary = "heddle.linear as blocks that the threads of a workgroup share";
  let description = [{
    One scf.forall over blocks of `rows` x `columns` of the result, in it a loop over `depth` of the contraction at a
    time, and in this parallel loops over threads: they bring a tile of the input and one of the weight, and each adds
    up `thread_rows` rows times `vectors` vectors of 4 columns; at the end they do bias, activation and residual.
    Fewer rows than a block has are one block of fewer rows a thread. A packed weight has panels of `columns`. `depth`
    is in f32; of f64, whose tiles have as many bytes, it is half.

    #### Return modes
    A definite failure for a target that is no heddle.linear, has elements other than f32 and f64, or a block that is
    not of whole register tiles.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, Heddle_Param:$rows, Heddle_Param:$columns,
                       Heddle_Param:$depth, Heddle_Param:$thread_rows, Heddle_Param:$vectors);
  let assemblyFormat = [{
    $target `block` `(` $rows `x` $columns `)` `depth` `(` $depth `)` `registers` `(` $thread_rows `x` $vectors `)`
    attr-dict `:` type($target)
  }];
}

def Heddle_BlockRowsOp : Heddle_LowerOp<"block_rows"> {
  let summary = "heddle.linear or heddle.ffn as tasks that each own some rows";
  let description = [{
    One scf.forall over equal blocks of at most `rows` rows, with the same op on a
    block in it: what the rows of a block go through (the hidden tensor of an FFN)
    stays in a core's cache, and every task reads all weights. The op is left as it
    is where one block takes all rows. What lowers the op in the block makes loops
    that run on the task's thread.

    #### Return modes
    A definite failure for another target or a dynamic shape.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, Heddle_Param:$rows);
  let assemblyFormat = "$target `rows` `(` $rows `)` attr-dict `:` type($target)";
}

def Heddle_LowerNormOp : Heddle_LowerOp<"lower_norm"> {
  let summary = "heddle.layer_norm or heddle.rms_norm by tiles of rows";
  let description = [{
    Tasks over blocks of rows; in each, tiles of `rows` rows that are read from memory
    once and stay in cache for the sums and the result. With `streams` they come from
    memory and the result goes there: one row after the other is summed, and
    heddle-stream-results is asked to let the result bypass the caches. With `apart` each
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
  let summary = "linalg.softmax along any dimension";
  let description = [{
    Along the last dimension by tiles of `rows` rows, along another one with the
    dimensions after it in the lanes. `apart` and `streams` as in lower_norm.

    #### Return modes
    A definite failure for another target or a dynamic shape.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, Heddle_Param:$rows, UnitAttr:$apart, UnitAttr:$streams);
  let assemblyFormat = [{
    $target `rows` `(` $rows `)` (`apart` $apart^)? (`streams` $streams^)? attr-dict `:` type($target)
  }];
}

def Heddle_DecomposeFfnOp : Heddle_LowerOp<"decompose_ffn"> {
  let summary = "heddle.ffn as heddle.linear ops around a hidden tensor";
  let arguments = (ins TransformHandleTypeInterface:$target);
  let assemblyFormat = "$target attr-dict `:` type($target)";
}

def Heddle_GeneralizeOp : Heddle_TransformOp<"generalize"> {
  let summary = "brings what surrounds a kernel's root into few linalg.generic ops";
  let description = [{
    Elementwise arith and math, broadcasts and transposes become linalg.generic and are
    fused; unit dimensions are dropped and loops that every operand walks together are
    joined. A contraction stays one.

    #### Return modes
    A definite failure for a target that is no function.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target);
  let assemblyFormat = "$target attr-dict `:` type($target)";
}

def Heddle_LowerGeneralOp : Heddle_TransformOp<"lower_general"> {
  let summary = "cuts every linalg op left in a function's body into tasks and tiles";
  let description = [{
    Contractions in any order of dimensions become register tiles of `registers` accumulators of
    `lanes` elements over panels of `panel` columns, which are packed at run time where that pays;
    concatenation, padding and returned views become copies; every other op is cut along its outer
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
    What an element sums up is carried in scalars. Inside a task of another lowering these loops are over the
    threads of a workgroup; where elements are fewer than `threads`, the sums are shared as well.
    With `wide` they compute boxes of a few rows times four elements of such tiles, where these fall into such boxes, for
    heddle.vectorize. Concatenation, padding and returned views become copies.

    #### Return modes
    A definite failure for a target that is no function, a dynamic shape, a size in a range, and a result whose
    elements are written by several iterations.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, Heddle_Param:$threads, UnitAttr:$wide);
  let assemblyFormat = "$target `threads` `(` $threads `)` (`wide` $wide^)? attr-dict `:` type($target)";
}

def Heddle_DecomposeRotaryOp : Heddle_LowerOp<"decompose_rotary"> {
  let summary = "heddle.rotary_embedding as linalg on the parts of the head that it rotates";
  let description = [{
    #### Return modes
    A definite failure for another target or a dynamic shape.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target);
  let assemblyFormat = "$target attr-dict `:` type($target)";
}

include "TransformMatchOps.td"

#endif // HEDDLE_TRANSFORM_OPS_TD
