//===- Attention.td - scaled dot-product attention ------------------------===//

#ifndef HEDDLE_OPS_ATTENTION_TD
#define HEDDLE_OPS_ATTENTION_TD

include "HeddleBase.td"

def Heddle_Causal : Heddle_Enum<"Causal", "where the causal diagonal starts", [
  I32EnumAttrCase<"None", 0, "none">,
  I32EnumAttrCase<"LowerRight", 1, "lower_right">, // query i attends to keys j <= i + Skv - Sq
  I32EnumAttrCase<"UpperLeft", 2, "upper_left">    // query i attends to keys j <= i
]>;
def Heddle_CausalAttr : Heddle_EnumAttr<Heddle_Causal, "causal">;

def Heddle_EmptyRow : Heddle_Enum<"EmptyRow", "result of a row whose scores are all -inf", [
  I32EnumAttrCase<"Zeros", 0, "zeros">, I32EnumAttrCase<"Nan", 1, "nan">,
  I32EnumAttrCase<"NanToZeros", 2, "nan_to_zeros"> // zeros for any row of NaN probabilities, whatever the cause
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
    query [B,Hq,Sq,D], key [B,Hkv,Skv,D], value [B,Hkv,Skv,Dv]; the result is
    [B,Hq,Sq,Dv]. A layout attribute `bshd` swaps the middle two dimensions of its
    operand, so that [B,S,H,D] is a view of a projection's [B,S,H x D]. Query head h
    reads key and value head h / (Hq / Hkv).

    For every query i of a batch entry and head, in this order:

    1. score(j) = `scale` x query(i) . key(j); without `scale`, 1/sqrt(D).
    2. With `softcap` c: score(j) = c x tanh(score(j) / c).
    3. `bias`, broadcast to [B,Hq,Sq,Skv], is added. If there is a region `score`, it then maps the score to the value
       that it yields.
    4. Where `mask`, broadcast in the same way, is false, the score becomes `masked_score`:
       -inf unless given. A finite `masked_score` is used literally, so a row that is masked
       everywhere attends evenly to all keys.
    5. The scores that `causal`, `window` and `key_lengths` remove become -inf, independent of
       `masked_score`. With L = `key_lengths`[b], clamped to [0, Skv] (Skv without it),
       keys j >= L are removed. Query i is at position p = i + L - Sq, or p = i with
       `causal(upper_left)`; `causal` removes keys j > p, `window(left, right)` removes keys
       j < p - left and j > p + right (`*`: no limit on that side).
    6. weight(j) = softmax over the keys, computed in at least `softmax_precision`. For a
       row whose scores are all -inf, `empty_row` selects zeros or NaN for the weights and the result.
       With `nan_to_zeros` a row whose weights are NaN for another reason, because a
       score is NaN or +inf, becomes zeros, too: this is the effect of a NaN guard after a softmax.
       If there is a region `probability`, it then maps each weight to the value that it yields.
    7. result(i) = sum over j of weight(j) x value(j). A key whose score is -inf contributes
       nothing, even if its value is not finite (the product 0 x value(j) would be NaN).
       (In a row that is NaN by step 6 all weights are NaN, and so is the result; in
       a row of zeros by step 6 the result is zeros.) With `probability` this holds for keys
       whose weight is still 0; a nonzero weight is multiplied, whatever the score was.

    With `rounding` query, key and value are rounded to that type before they are multiplied. So is the other factor of
    the values: exp(score) times the power of two that makes the largest factor of a row more than 1/2 and at most 1
    (a power of two does not change how the mantissa is rounded; if the largest score is beyond 2^20 in magnitude, the
    factor is instead exp of the difference to the largest score). A row's result is the sum of these products divided
    by the sum of the rounded factors.

    A region is a function of scalars. Its arguments are a score in the type that the softmax is computed in (f32
    or f64), the indices of batch entry, query head, query and key, and, for each tensor in `reads`,
    broadcast to [B,Hq,Sq,Skv], the element that belongs to the score (f16 and bf16 are passed as f32).

    `with_weights` adds the second result, the weights [B,Hq,Sq,Skv] that multiply the values; they are then stored.
    Without it, and without `probability`, no lowering needs to store the score matrix.

    Constraints:
    * (C1) query, key, value and the results have rank 4 and one element type; D >= 1.
    * (C2) query, key and value have the same batch size B.
    * (C3) key and value have the same number of heads Hkv, and Hq is a multiple of it.
    * (C4) key has the head size D of query.
    * (C5) value has the key positions Skv of key.
    * (C6) bias has at most 4 dimensions; aligned at the last dimension, each is 1 or equals the dimension of
      [B,Hq,Sq,Skv].
    * (C7) mask satisfies the same condition as bias.
    * (C8) key_lengths has B elements.
    * (C9) window holds two extents, none below -1 (-1 is no limit).
    * (C10) scale is not NaN; softcap is positive and finite; masked_score is not NaN.
    * (C11) each tensor of reads has at most 4 dimensions; aligned at the last dimension, each is 1 or equals the
      dimension of [B,Hq,Sq,Skv]. Reads need a region.
    * (C12) a region has the arguments described above, and yields one value of the score's type.
    * (C13) a region contains only constants and elementwise operations on scalars.
    * (C14) rounding is to bf16, the element type is f32, and the softmax is computed in f32. The weights are neither a
      result nor changed by a region.

    Example:
    ```mlir
    %0 = heddle.attention %q, %k, %v mask(%m) causal(lower_right) scale(0.125)
       : (tensor<1x12x64x64xf32>, tensor<1x4x80x64xf32>, tensor<1x4x80x64xf32>, tensor<80xi1>)
      -> tensor<1x12x64x64xf32>
    ```

    With a region, ALiBi:
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
    OptionalAttr<TypeAttr>:$rounding, // type that the factors of products are rounded to
    DefaultValuedAttr<Heddle_LayoutAttr, "::heddle::Layout::Bhsd">:$query_layout,
    DefaultValuedAttr<Heddle_LayoutAttr, "::heddle::Layout::Bhsd">:$key_layout,
    DefaultValuedAttr<Heddle_LayoutAttr, "::heddle::Layout::Bhsd">:$value_layout,
    DefaultValuedAttr<Heddle_LayoutAttr, "::heddle::Layout::Bhsd">:$result_layout,
    UnitAttr:$with_weights); // adds the second result, the softmax weights [B,Hq,Sq,Skv]
  let results = (outs Heddle_FloatTensor:$result, Optional<Heddle_FloatTensor>:$weights);
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
    /// The sizes as the description names them, refined over all operands; ShapedType::kDynamic if no operand has the
    /// size.
    struct Extents {
      int64_t batch, queryHeads, keyHeads, queries, keys, headSize, valueSize;
    };
    Extents getSizes();
    /// Returns `scale`, or 1/sqrt(D) without it; then D must be static.
    double getScaleValue();
    /// Returns `masked_score`, or -inf without it.
    double getMaskedScoreValue();
    /// The magnitude of the largest score of a row from which on `rounding` takes exponentials of differences to that
    /// score instead of a power of two: one ulp of such a score is then no longer small beside the exponent of the
    /// power. (The lowest finite number, as in masks, has no such power at all.)
    static constexpr double largestPower = 0x1p20;
    /// The extents of the window, -1 where there is no limit. Huge extents are clamped so that they can be added to a
    /// position without overflow.
    int64_t getWindowLeft() { return getWindow() ? std::min<int64_t>((*getWindow())[0], INT64_MAX / 4) : -1; }
    int64_t getWindowRight() { return getWindow() ? std::min<int64_t>((*getWindow())[1], INT64_MAX / 4) : -1; }
    bool hasScore() { return !getScore().empty(); }
    bool hasProbability() { return !getProbability().empty(); }
    /// The type in which the softmax is computed and regions change scores.
    ::mlir::Type getSoftmaxType();
    /// The argument types of the regions.
    ::llvm::SmallVector<::mlir::Type> getRegionTypes();
    /// Verifies constraints C11 to C13.
    ::llvm::LogicalResult verifyReadsAndRegions();
    /// Verifies constraint C14.
    ::llvm::LogicalResult verifyRounding();
    /// Clones the region's operations for these arguments and returns the yielded value.
    static ::mlir::Value inlineRegion(::mlir::OpBuilder &b, ::mlir::Region &region, ::mlir::ValueRange arguments);
  }];
}

#endif // HEDDLE_OPS_ATTENTION_TD
