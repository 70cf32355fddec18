//===- TransformOps.td - transform ops for strategies ---------------------===//
//
// The transform operations that strategies use in addition to upstream's. Their
// C++ code is in this folder and its subfolders. Most have a file of their own,
// named after the operation: transform.heddle.lower_linear is in
// panels/LowerLinear.cpp.
//
// The sections "Return modes" do not repeat that an op also fails definitely if
// a parameter is not an integer, or if it is not positive where it must be.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TRANSFORM_OPS_TD
#define HEDDLE_TRANSFORM_OPS_TD

include "mlir/Dialect/Transform/IR/TransformDialect.td"
include "mlir/Dialect/Transform/IR/TransformTypes.td"
include "mlir/Dialect/Transform/Interfaces/MatchInterfaces.td"
include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "FragmentKind.td"

/// A transform parameter of type i64. The assembly format does not print the type.
def Heddle_Param : Type<
    CPred<"::llvm::isa<::mlir::transform::ParamType>($_self) && "
          "::llvm::cast<::mlir::transform::ParamType>($_self).getType().isInteger(64)">,
    "a parameter of i64", "::mlir::transform::ParamType">,
  BuildableType<"::mlir::transform::ParamType::get($_builder.getContext(), $_builder.getI64Type())">;

/// The base class of ops that change one payload op at a time. The method applyToOne implements the op.
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

/// The base class of ops that replace their payload op. They consume the handle.
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
  let summary = "returns a share of a number, such as the share of workgroup memory that a buffer may use";
  let description = [{
    The result is `whole` x `parts` / `of`, rounded down.

    #### Return modes
    A definite failure if `whole` is not positive.
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
    The weight [K, N] becomes [ceil(N / panel), K, panel]. If the weight is an argument of a private function and every
    caller passes a heddle.weight, packing becomes a step of the recipe of each of these weights, and the argument's
    type changes. A recipe is the list of steps that compute a weight when a library is written, so packing
    costs nothing at run time. Otherwise (for example, if the weight is computed, if a caller passes another value,
    or if the argument has other uses), nothing changes, and lower_linear emits code that packs the weight into scratch
    memory in each call.

    `shared` is a pair of parameters: the number of interleaved panels, and the number of columns of each panel. If the
    number of interleaved panels is 0, panels are not interleaved and have `panel` columns. A register tile may have the
    columns of one interleaved panel or of all of them, so kernels with different tiles can share the weight.

    #### Return modes
    A definite failure for a target that is not heddle.linear.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, Heddle_Param:$panel, Variadic<Heddle_Param>:$shared);
  let assemblyFormat = "$target `panel` `(` $panel `)` (`shared` `(` $shared^ `)`)? attr-dict `:` type($target)";
}

def Heddle_VectorizeOp : Heddle_TransformOp<"vectorize"> {
  let summary = "rewrites linalg ops and heddle.tile_product in the target as loops over 1-D vectors";
  let description = [{
    The linalg ops must have static sizes, except with `blocks`. The innermost dimension of a result lies along the
    lanes, and reductions are loops that carry a register tile. `registers` describes the vector registers of the CPU:
    their number and their width in bits. The op also expands attention that lower_attention_heads has annotated.

    By default, a tile is expected to have only a few vectors: remainders are masked, and the rows of a register tile
    are unrolled. A tile is unrolled as a whole and passed in registers to the next op of its basic block if it has at
    most 32 vectors (for a reduction, at most two fewer than there are registers; for a reduction along the lanes, at
    most 8). Canonicalization then removes the tensors between the ops.

    With `blocks`, tiles are larger blocks, which lie in a cache: every dimension but the last is a loop, and operands
    that do not depend on the lanes are read as scalars. The accumulators of a contraction (up to 12 rows of up to 4
    vectors, or of more vectors if there are few rows, as many as `registers` allow) stay in registers. If an
    elementwise epilogue follows, it reads the accumulators from the registers. Remainders are peeled with their static
    size. An operand whose last dimension does not lie along the lanes is transposed in square tiles. A square tile has
    as many rows as a vector has lanes, or half as many if there are fewer registers than lanes. A reduction along the
    last dimension of its operands is accumulated in vectors, which are then folded into a vector of results.

    #### Return modes
    A definite failure for an op that cannot be vectorized, for example because it has a dynamic size (without
    `blocks`), a body that is not elementwise, or an operand that is not indexed by loop dimensions alone (with
    `blocks`); for registers that hold fewer than 4 vectors of `lanes` elements of f32; and, with `blocks`, for `lanes`
    that is less than 4 or not a power of two.
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
    Makes an scf.forall over (blocks of rows, panels). Its body is a loop over row tiles, followed by a tile for the
    remaining rows. Rows after the last full block and columns after the last full panel are separate tasks. A register
    tile is a linalg.fill, a linalg.matmul and a linalg.generic with bias, activation and residual. `registers` is the
    number of accumulators of `lanes` elements; it determines the number of rows of a tile. If the contraction has at
    most 32 terms, a tile has half as many accumulators, but at least 8 (or all of them if `registers` is less than 8).
    `panel` is the number of columns of a tile. A tile of a packed weight has the columns of all interleaved panels if
    these panels together have `panel` columns; otherwise, it has the columns of one panel.

    `weight` has four parameters, which determine how a packed weight is read through the caches:
    - the maximum size, in KiB, of a panel that is multiplied by many rows; a larger panel is cut along the contraction
      into equal parts, whose products are added up in memory (0: no maximum; panels are not cut if the number of rows
      lies in a range),
    - the prefetch distance in panels: while panel i is used, panel i + distance is prefetched (0: no prefetch),
    - the minimum number of rows of a task for which panels are prefetched,
    - and the cache to prefetch into, where 1 is the first-level cache.

    #### Return modes
    A definite failure for a target that is not heddle.linear, rounds its rows or has a dynamic shape.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, Heddle_Param:$lanes, Heddle_Param:$panel,
                       Heddle_Param:$registers, Variadic<Heddle_Param>:$weight);
  let assemblyFormat = [{
    $target `lanes` `(` $lanes `)` `panel` `(` $panel `)` `registers` `(` $registers `)` (`weight` `(` $weight^ `)`)?
    attr-dict `:` type($target)
  }];
}

def Heddle_LowerRoundedLinearOp : Heddle_LowerOp<"lower_rounded_linear"> {
  let summary = "lowers heddle.linear that rounds its rows; its products become dot products of narrow types";
  let description = [{
    Tasks round each row of the input once, into memory, unless rows are stored in the float type to which they would be
    rounded. Then the layer is lowered as lower_linear does, with register tiles of heddle.tile_product, whose integer
    sums are converted to f32 in the tile. The weight's recipe is extended: the weight is packed into panels of `panel`
    columns, or, if `interleaved` is not 0, into that number of interleaved panels of `lanes` columns. Elements that one
    instruction multiplies in the same lane are adjacent. If `unsigned` is not 0, one operand of products of bytes is
    unsigned; the CPU determines which variant is faster. `row_bits`, 8 or 16, is the width of rows rounded to integers.
    Rows of 16 bits are multiplied by bytes, two elements at a time, and their zero points are subtracted when they are
    rounded. With `matrices`, the matrix instructions of Intel AMX multiply tiles of 16 rows, 16 columns and the largest
    number of steps up to 16 that divides the contraction and, if blocks of a row have scales of their own, each of
    these blocks. Tiles of the result then have 32 rows if 32 rows have at most `registers` vectors of sums (with scales
    of blocks, half as many), and otherwise 16 rows; the sums are in memory. The last rows of a task are multiplied in
    tiles of 16 rows together with the rows before them, whose results are dropped. Integers always have 8 bits with
    `matrices`, whatever `row_bits` is.

    #### Return modes
    A definite failure for a target that is not heddle.linear, that match_rounding with `dots` does not match, or that
    has a dynamic shape. With `matrices`, also a definite failure if a panel does not have a multiple of 16 columns.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, Heddle_Param:$lanes, Heddle_Param:$panel,
                       Heddle_Param:$interleaved, Heddle_Param:$registers, Heddle_Param:$is_unsigned,
                       Heddle_Param:$row_bits, UnitAttr:$matrices, Variadic<Heddle_Param>:$weight);
  let assemblyFormat = [{
    $target (`matrices` $matrices^)? `lanes` `(` $lanes `)` `panel` `(` $panel `)` `interleaved` `(` $interleaved `)` `registers` `(` $registers
    `)`
    `unsigned` `(` $is_unsigned `)` `row_bits` `(` $row_bits `)` (`weight` `(` $weight^ `)`)? attr-dict `:` type($target)
  }];
}

def Heddle_RoundRowsOp : Heddle_LowerOp<"round_rows"> {
  let summary = "rounds the input rows of heddle.linear in separate tasks, and removes the rounding from the layer";
  let description = [{
    Writes the rounded values of each row (integers times their scale, or narrower floats) to memory, in the type of the
    input. Outlier channels are not rounded. The weight may have any format.

    #### Return modes
    A definite failure for a target that is not a heddle.linear with a rounding, or has a dynamic shape, and if a caller
    does not pass the operand `outlier_channels` as a heddle.weight.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target);
  let assemblyFormat = "$target attr-dict `:` type($target)";
}

def Heddle_BlockRowsOp : Heddle_LowerOp<"block_rows"> {
  let summary = "cuts heddle.linear or heddle.ffn into tasks that each compute a block of rows";
  let description = [{
    Makes one scf.forall over equal blocks of at most `rows` rows. Each iteration contains a copy of the op that
    computes one block. Intermediate results of a block (the hidden tensor of an FFN) stay in the cache of a core, and
    every task reads all weights. The op is unchanged if all rows fit into one block. The op in a task is lowered later;
    the tasks into which it is then divided run on the thread of the surrounding task.

    #### Return modes
    A definite failure for a target that is neither heddle.linear nor heddle.ffn, and for a dynamic shape.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, Heddle_Param:$rows);
  let assemblyFormat = "$target `rows` `(` $rows `)` attr-dict `:` type($target)";
}

def Heddle_LowerNormOp : Heddle_LowerOp<"lower_norm"> {
  let summary = "lowers heddle.layer_norm or heddle.rms_norm to tiles of rows";
  let description = [{
    Makes tasks over blocks of rows. A task has a loop over tiles of `rows` rows, or of fewer if rows are long, which
    are read from memory once and stay in the cache for the sums and the result. `streams` is for inputs and results
    that are larger than the caches: rows are summed one after the other, and the function is annotated for
    heddle-stream-results, which lets the result bypass the caches. With `apart`, each tile is a task.

    #### Return modes
    A definite failure for a target that is neither heddle.layer_norm nor heddle.rms_norm, and for a dynamic shape.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, Heddle_Param:$rows, UnitAttr:$apart, UnitAttr:$streams);
  let assemblyFormat = [{
    $target `rows` `(` $rows `)` (`apart` $apart^)? (`streams` $streams^)? attr-dict `:` type($target)
  }];
}

def Heddle_LowerSoftmaxOp : Heddle_LowerOp<"lower_softmax"> {
  let summary = "lowers linalg.softmax along any dimension";
  let description = [{
    A softmax along the last dimension is computed in tiles of `rows` rows. For a softmax along another dimension, the
    dimensions after it lie in the lanes. If the size of the dimension (without `apart`) or of a later dimension lies in
    a range, the softmax is decomposed into linalg ops instead, each of which becomes tasks (with `apart`, in
    lower_elements). `apart` and `streams` are as in lower_norm.

    #### Return modes
    A definite failure for a target that is not linalg.softmax or has a dynamic shape.
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
  let summary = "converts the ops of a function to linalg.generic ops and fuses them";
  let description = [{
    Elementwise arith and math ops, broadcasts and transposes become linalg.generic and are fused. Unit dimensions are
    dropped, and adjacent loops that index adjacent dimensions of every operand are collapsed. A contraction remains a
    contraction.

    #### Return modes
    A definite failure for a target that is not a function, and if the rewriting does not terminate.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target);
  let assemblyFormat = "$target attr-dict `:` type($target)";
}

def Heddle_LowerGeneralOp : Heddle_TransformOp<"lower_general"> {
  let summary = "cuts every remaining linalg op of a function's body into tasks and tiles";
  let description = [{
    A contraction with any order of dimensions, except products with vectors or with fewer than 4 columns, becomes
    register tiles of `registers` accumulators of `lanes` elements over panels of `panel` columns, which are packed at
    run time if that pays off. Concatenation, padding and returned views become copies. Every other op is cut along its
    outer dimensions.

    #### Return modes
    A definite failure for a target that is not a function, for a dynamic shape, and for an op with a size in a range if
    a parallel loop over such a size does not index every result, or if the dimensions of a result are not indexed by
    different loops.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, Heddle_Param:$lanes, Heddle_Param:$panel,
                       Heddle_Param:$registers);
  let assemblyFormat = [{
    $target `lanes` `(` $lanes `)` `panel` `(` $panel `)` `registers` `(` $registers `)` attr-dict `:` type($target)
  }];
}

def Heddle_LowerElementsOp : Heddle_TransformOp<"lower_elements"> {
  let summary = "lowers each linalg op to a parallel loop with an iteration for each element of its results";
  let description = [{
    A reduction carries the sum of an element in a scalar. Inside a task of another lowering, the parallel loops are
    over the `threads` threads of a workgroup; if there are fewer elements than threads, several threads compute each
    sum. Outside of tasks, an op with few elements, each of which is a sum of many terms, becomes a task for each
    element, which the threads of a workgroup share. With `wide`, an iteration computes a thread tile (a few rows times
    four elements), which transform.heddle.vectorize later vectorizes. An op that cannot be computed in thread tiles,
    for example because its workgroup tile does not divide into them without a remainder, is lowered as without `wide`.
    Concatenation, padding and returned views become copies.

    #### Return modes
    A definite failure for a target that is not a function, for an op with a dynamic shape outside of tasks, for a
    result with elements that several iterations write, and for a sum on which another result of its op depends.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, Heddle_Param:$threads, UnitAttr:$wide);
  let assemblyFormat = "$target `threads` `(` $threads `)` (`wide` $wide^)? attr-dict `:` type($target)";
}

def Heddle_DecomposeRotaryOp : Heddle_LowerOp<"decompose_rotary"> {
  let summary = "replaces heddle.rotary_embedding by linalg ops on rotated and on remaining columns of heads";
  let description = [{
    #### Return modes
    A definite failure for a target that is not heddle.rotary_embedding or has a dynamic shape.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target);
  let assemblyFormat = "$target attr-dict `:` type($target)";
}

include "TransformAttentionOps.td"
include "TransformMatchOps.td"
include "TransformTileOps.td"

#endif // HEDDLE_TRANSFORM_OPS_TD
