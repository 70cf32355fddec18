//===- Attention.td - scaled dot-product attention ------------------------===//

#ifndef HEDDLE_OPS_ATTENTION_TD
#define HEDDLE_OPS_ATTENTION_TD

include "HeddleBase.td"

def Heddle_Causal : Heddle_Enum<"Causal", "where the causal diagonal starts", [
  I32EnumAttrCase<"None", 0, "none">,
  I32EnumAttrCase<"LowerRight", 1, "lower_right">, // query i attends to keys j <= i + L - Sq (L: see below)
  I32EnumAttrCase<"UpperLeft", 2, "upper_left">    // query i attends to keys j <= i
]>;
def Heddle_CausalAttr : Heddle_EnumAttr<Heddle_Causal, "causal">;

def Heddle_EmptyRow : Heddle_Enum<"EmptyRow", "result of a row whose scores are all -inf", [
  I32EnumAttrCase<"Zeros", 0, "zeros">, I32EnumAttrCase<"Nan", 1, "nan">,
  I32EnumAttrCase<"NanToZeros", 2, "nan_to_zeros"> // zeros for each row with a probability of NaN
]>;
def Heddle_EmptyRowAttr : Heddle_EnumAttr<Heddle_EmptyRow, "empty_row">;

def Heddle_SoftmaxPrecision : Heddle_Enum<"SoftmaxPrecision", "type the softmax is computed in", [
  I32EnumAttrCase<"F32", 0, "f32">, I32EnumAttrCase<"F64", 1, "f64">
]>;
def Heddle_SoftmaxPrecisionAttr : Heddle_EnumAttr<Heddle_SoftmaxPrecision, "softmax_precision">;

def Heddle_AttentionOp : Heddle_LayerOp<"attention",
    ["getResultRows", "getOperandRows", "canLeaveRowsOut", "getMultiplyAdds"], [AttrSizedOperandSegments,
    IsolatedFromAbove,
    DeclareOpInterfaceMethods<AggregatedOpInterface, ["decomposeOperation"]>]> {
  let summary = "scaled dot-product attention";
  let description = [{
    query is [B,Hq,Sq,D], key [B,Hkv,Skv,D], value [B,Hkv,Skv,Dv]; the result is [B,Hq,Sq,Dv]. For an operand or result
    whose layout is `bshd`, the middle two dimensions are swapped: [B,S,H,D] is a view of a projection's result [B,S,H x
    D]. Query head h reads key and value head h / (Hq / Hkv).

    The following steps compute the result of each query i of a batch entry and head, in this order:

    1. score(j) = `scale` x query(i) . key(j); without `scale`, 1/sqrt(D).
    2. With `softcap` c, score(j) = c x tanh(score(j) / c).
    3. `bias`, broadcast to [B,Hq,Sq,Skv], is added. If there is a region `score`, it then maps the score to the value
       that it yields.
    4. Where `mask`, broadcast in the same way, is false, the score becomes `masked_score` (default: -inf). A finite
       `masked_score` is an ordinary score: a query whose keys are all masked attends equally to all keys. Unless the
       elements are f64, a finite `masked_score` beyond the range of f32 is replaced by the nearest finite f32.
    5. The scores of keys that `causal`, `window` and `key_lengths` remove become -inf, independent of `masked_score`.
       Let L be `key_lengths`[b] clamped to [0, Skv], or Skv without `key_lengths`; keys j >= L are removed. Query i is
       at position p = i + L - Sq, or p = i with `causal(upper_left)`. `causal` removes keys j > p; `window(left,
       right)` removes keys j < p - left and j > p + right (`*` means no limit on that side).
    6. probability(j) is the softmax of the scores over all keys, computed in at least `softmax_precision`. For a query
       whose scores are all -inf, `empty_row` selects zeros or NaN for the probabilities and the result. With
       `nan_to_zeros`, probabilities that are NaN because a score is NaN or +inf become zeros, too, as in models with a
       select after the softmax. If there is a region `probability`, it then maps each probability to the value that it
       yields.
    7. result(i) = sum over j of probability(j) x value(j). A key whose score is -inf contributes nothing, even if its
       value is not finite (although 0 x value(j) would be NaN). If the probabilities of a query are NaN by step 6, its
       result is NaN; if they are zeros by step 6, its result is zeros. With a region `probability`, a key with the
       score -inf contributes nothing if the region yields 0 for this key; otherwise it contributes the yielded value
       times value(j).

    With `rounding`, query, key and value are rounded to the type `rounding` before they are multiplied, and so is the
    factor by which each value is multiplied. This factor is exp(score) times a power of two, which is chosen for each
    query so that the query's largest factor is more than 1/2 and at most 1. (A power of two does not change how the
    mantissa is rounded. If the magnitude of the query's largest score is at least 2^20, the factor is exp(score -
    largest score) instead.) Before factors are rounded to f16, they are multiplied by 2^15, so that small ones are
    normal numbers. The result of the query is the sum of the products divided by the sum of the rounded
    factors.

    A region is a function of scalars. Its first argument is a score or probability in the type in which the softmax is
    computed (f32 or f64). The next four arguments are the indices of batch entry, query head, query and key. For each
    tensor in `reads`, which is broadcast to [B,Hq,Sq,Skv], there is one more argument: the element at these indices
    (f16 and bf16 are passed as f32).

    `with_weights` adds the second result, the probabilities [B,Hq,Sq,Skv] by which the values are multiplied. Without
    `with_weights` and without a region `probability`, no lowering needs to store the score matrix.

    Constraints:
    * (C1) query, key, value and the results have rank 4 and one element type; D >= 1.
    * (C2) query, key and value have the same batch size B.
    * (C3) key and value have the same number of heads Hkv >= 1, and Hq is a multiple of Hkv.
    * (C4) key has the head size D of query.
    * (C5) value has the key positions Skv of key.
    * (C6) bias has at most 4 dimensions; aligned at the last dimension, each is 1 or equals the dimension of
      [B,Hq,Sq,Skv].
    * (C7) mask satisfies the same condition as bias.
    * (C8) key_lengths has B elements.
    * (C9) window has two extents, each at least -1 (-1 means no limit).
    * (C10) scale is not NaN; softcap is positive and finite; masked_score is not NaN.
    * (C11) each tensor of reads has at most 4 dimensions; aligned at the last dimension, each is 1 or equals the
      dimension of [B,Hq,Sq,Skv]. Reads need a region.
    * (C12) a region has the arguments described above, and yields one value of the score's type.
    * (C13) a region contains only constants and elementwise operations on scalars, each with one result.
    * (C14) with rounding, which must be bf16 or f16, the element type is f32, the softmax is computed in f32, and the
      probabilities are neither a result nor changed by a region.

    Example:
    ```mlir
    %0 = heddle.attention %q, %k, %v mask(%m) causal(lower_right) scale(0.125)
       : (tensor<1x12x64x64xf32>, tensor<1x4x80x64xf32>, tensor<1x4x80x64xf32>, tensor<80xi1>)
      -> tensor<1x12x64x64xf32>
    ```

    ALiBi, with a region:
    ```
    %1 = heddle.attention %q, %k, %v reads(%slopes) causal(lower_right) score {
    ^bb0(%score: f32, %b: index, %h: index, %i: index, %j: index, %slope: f32):
      %distance = arith.subi %j, %i : index
      %number = arith.index_cast %distance : index to i32
      %real = arith.sitofp %number : i32 to f32
      %bias = arith.mulf %slope, %real : f32
      %sum = arith.addf %score, %bias : f32
      heddle.yield %sum : f32
    } : (tensor<1x12x64x64xf32>, tensor<1x4x64x64xf32>, tensor<1x4x64x64xf32>, tensor<12x1x1xf32>)
     -> tensor<1x12x64x64xf32>
    ```
  }];
  let arguments = (ins
    Heddle_FloatTensor:$query, Heddle_FloatTensor:$key, Heddle_FloatTensor:$value,
    Optional<Heddle_FloatTensor>:$bias, Optional<Heddle_MaskTensor>:$mask,
    Optional<Heddle_LengthTensor>:$key_lengths,
    Variadic<Heddle_ReadTensor>:$reads, // tensors that the regions read
    OptionalAttr<F64Attr>:$scale,   // default: 1/sqrt(D)
    OptionalAttr<F64Attr>:$softcap, // c x tanh(score/c), before bias and masks
    OptionalAttr<F64Attr>:$masked_score, // the score where the mask is false; default: -inf
    DefaultValuedAttr<Heddle_CausalAttr, "::heddle::Causal::None">:$causal,
    OptionalAttr<DenseI64ArrayAttr>:$window, // [left, right] extents, -1: unlimited
    DefaultValuedAttr<Heddle_EmptyRowAttr, "::heddle::EmptyRow::Zeros">:$empty_row,
    DefaultValuedAttr<Heddle_SoftmaxPrecisionAttr, "::heddle::SoftmaxPrecision::F32">:$softmax_precision,
    OptionalAttr<TypeAttr>:$rounding, // the type to which the factors of products are rounded
    DefaultValuedAttr<Heddle_LayoutAttr, "::heddle::Layout::Bhsd">:$query_layout,
    DefaultValuedAttr<Heddle_LayoutAttr, "::heddle::Layout::Bhsd">:$key_layout,
    DefaultValuedAttr<Heddle_LayoutAttr, "::heddle::Layout::Bhsd">:$value_layout,
    DefaultValuedAttr<Heddle_LayoutAttr, "::heddle::Layout::Bhsd">:$result_layout,
    UnitAttr:$with_weights); // adds the second result, the probabilities [B,Hq,Sq,Skv]
  let results = (outs Heddle_FloatTensor:$result, Optional<Heddle_FloatTensor>:$weights); // weights: the probabilities
  let regions = (region MaxSizedRegion<1>:$score, MaxSizedRegion<1>:$probability); // absent regions are empty
  let assemblyFormat = [{
    $query `,` $key `,` $value oilist(`bias` `(` $bias `)` | `mask` `(` $mask `)`
      | `key_lengths` `(` $key_lengths `)` | `reads` `(` $reads `)` | `causal` `(` custom<Word>($causal) `)`
      | `window` `(` custom<Window>($window) `)` | `scale` `(` custom<Number>($scale) `)`
      | `softcap` `(` custom<Number>($softcap) `)` | `masked_score` `(` custom<Number>($masked_score) `)`
      | `empty_row` `(` custom<Word>($empty_row) `)`
      | `softmax_precision` `(` custom<Word>($softmax_precision) `)` | `rounding` `(` $rounding `)`
      | `query_layout` `(` custom<Word>($query_layout) `)`
      | `key_layout` `(` custom<Word>($key_layout) `)`
      | `value_layout` `(` custom<Word>($value_layout) `)`
      | `result_layout` `(` custom<Word>($result_layout) `)` | `with_weights` $with_weights)
    (`score` $score^)? (`probability` $probability^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// The sizes B, Hq, Hkv, Sq, Skv, D and Dv of the description. A size that is dynamic in one operand is taken from
    /// another operand; it is ShapedType::kDynamic if no type contains it.
    struct Extents {
      int64_t batch, queryHeads, keyHeads, queries, keys, headSize, valueSize;
    };
    Extents getSizes();
    /// Returns `scale`, or 1/sqrt(D) without it; then D must be static.
    double getScaleValue();
    /// Returns `masked_score`, or -inf without it.
    double getMaskedScoreValue();
    /// If the largest score of a query has at least this magnitude, `rounding` scales exponentials by exp(-largest
    /// score) instead of by a power of two. There are two reasons: one ulp of so large a score (1/8 in f32) is not
    /// small compared with 1, and for the lowest finite number, which masks contain, the exponent of the power would
    /// overflow f32.
    static constexpr double largestPower = 0x1p20;
    /// The left and the right extent of the window; -1 if there is no limit on this side. Extents are at most INT64_MAX
    /// / 4, so the sum of an extent and a position does not overflow.
    int64_t getWindowLeft() { return getWindow() ? std::min<int64_t>((*getWindow())[0], INT64_MAX / 4) : -1; }
    int64_t getWindowRight() { return getWindow() ? std::min<int64_t>((*getWindow())[1], INT64_MAX / 4) : -1; }
    /// Whether the op has the region `score`, or the region `probability`.
    bool hasScore() { return !getScore().empty(); }
    bool hasProbability() { return !getProbability().empty(); }
    /// The type in which the softmax is computed; regions take and yield scores and probabilities of this type.
    ::mlir::Type getSoftmaxType();
    /// The argument types of the regions.
    ::llvm::SmallVector<::mlir::Type> getRegionTypes();
    /// Verifies constraints C11 to C13.
    ::llvm::LogicalResult verifyReadsAndRegions();
    /// Verifies constraint C14.
    ::llvm::LogicalResult verifyRounding();
    /// Returns the number by which factors of values are multiplied before they are rounded to `rounding`.
    static double getFactorScale(::mlir::Type rounding) { return rounding.isF16() ? 0x1p15 : 1.0; }
    /// Emits `x`, an f32, rounded to the type `rounding`, as an f32.
    ::mlir::Value emitRounded(::mlir::OpBuilder &b, ::mlir::Location loc, ::mlir::Value x);
    /// Emits the factor of a value, rounded to the type `rounding`, for the exponential of a score.
    ::mlir::Value emitRoundedFactor(::mlir::OpBuilder &b, ::mlir::Location loc, ::mlir::Value exponential);
    /// Clones the region's operations for these arguments and returns the yielded value.
    static ::mlir::Value inlineRegion(::mlir::OpBuilder &b, ::mlir::Region &region, ::mlir::ValueRange arguments);
  }];
}

#endif // HEDDLE_OPS_ATTENTION_TD
