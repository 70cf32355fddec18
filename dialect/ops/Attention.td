//===- Attention.td - scaled dot-product attention ------------------------===//

#ifndef HEDDLE_OPS_ATTENTION_TD
#define HEDDLE_OPS_ATTENTION_TD

include "HeddleBase.td"

def Heddle_Causal : Heddle_Enum<"Causal", "where the causal diagonal starts", [
  I32EnumAttrCase<"None", 0, "none">,
  I32EnumAttrCase<"LowerRight", 1, "lower_right">, // query i attends keys j <= i + Skv - Sq
  I32EnumAttrCase<"UpperLeft", 2, "upper_left">    // query i attends keys j <= i
]>;
def Heddle_CausalAttr : Heddle_EnumAttr<Heddle_Causal, "causal">;

def Heddle_EmptyRow : Heddle_Enum<"EmptyRow", "what a row whose scores are all -inf yields", [
  I32EnumAttrCase<"Zeros", 0, "zeros">, I32EnumAttrCase<"Nan", 1, "nan">,
  I32EnumAttrCase<"NanToZeros", 2, "nan_to_zeros"> // zeros, whatever made the row's weights NaN
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
    3. `bias`, broadcast to [B,Hq,Sq,Skv], is added. Then the score becomes what the region `score`
       yields of it, if there is one.
    4. Where `mask`, broadcast likewise, is false, the score becomes `masked_score`:
       -inf unless given. A finite one keeps its literal meaning, so a row masked
       everywhere attends evenly to all keys.
    5. What `causal`, `window` and `key_lengths` remove becomes -inf, whatever
       `masked_score` says. With L = `key_lengths`[b], clamped to [0, Skv] (Skv without it),
       keys j >= L are removed. Query i stands at position p = i + L - Sq, or p = i with
       `causal(upper_left)`; `causal` removes keys j > p, `window(left, right)` keys
       j < p - left and j > p + right (`*`: no limit on that side).
    6. weight(j) = softmax over the keys, computed in at least `softmax_precision`. A
       row whose scores are all -inf yields what `empty_row` says: weights and result
       of zeros, or NaN. With `nan_to_zeros` a row of NaN weights that has another cause, a
       score that is NaN or +inf, yields zeros, too: what a guard around a softmax does.
       Then each weight becomes what the region `probability` yields of it, if there is one.
    7. result(i) = sum over j of weight(j) x value(j). A key whose score is -inf contributes
       nothing, whatever its value holds: not 0 x value(j), which would be NaN where that is
       not finite. (In a row that is NaN by step 6 every weight is, and so is the result; in
       a row of zeros by step 6 the result is zeros.) With `probability` that holds for keys
       whose weight is 0 still: another weight multiplies, whatever the score was.

    With `rounding` query, key and value are rounded to that type before they are multiplied, and so is what the values
    are multiplied with: exp(score) times the power of two that makes the largest of a row more than 1/2 and at most 1
    (which power it is makes no difference to a rounding that leaves so many digits; of a largest score of 2^20 and
    more, up or down, it is exp of the difference to that score). A row's result is the sum of these products divided by
    the sum of what was rounded.

    A region is a function of scalars: a score in the type that the softmax is computed in (f32,
    or f64), the indices of batch entry, query head, query and key, and of each tensor in `reads`,
    broadcast to [B,Hq,Sq,Skv], the element that belongs to the score (f16 and bf16 as f32).

    `with_weights` adds the second result, the weights [B,Hq,Sq,Skv] that multiply the values, which
    then are stored. Without it, and without `probability`, no lowering needs to store the score matrix.

    Constraints:
    * (C1) query, key, value and the results have rank 4 and one element type; D >= 1.
    * (C2) query, key and value have the same batch size B.
    * (C3) key and value have the same number of heads Hkv, and Hq is a multiple of it.
    * (C4) key has the head size D of query.
    * (C5) value has the key positions Skv of key.
    * (C6) bias has at most 4 dimensions; aligned at the last, each is 1 or that of
      [B,Hq,Sq,Skv].
    * (C7) mask likewise.
    * (C8) key_lengths has B elements.
    * (C9) window holds two extents, none below -1 (no limit).
    * (C10) scale is not NaN; softcap is positive and finite; masked_score is not NaN.
    * (C11) each of reads has at most 4 dimensions; aligned at the last, each is 1 or that of
      [B,Hq,Sq,Skv]. There is a region to read them.
    * (C12) a region takes what is said above, and ends by yielding one number of the score's type.
    * (C13) a region has constants and elementwise operations on scalars.
    * (C14) rounding is to bf16, of elements of f32, with a softmax in f32 whose weights are no result and are not
      changed by a region.

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
    Variadic<Heddle_ReadTensor>:$reads, // by the regions
    OptionalAttr<F64Attr>:$scale,   // 1/sqrt(D)
    OptionalAttr<F64Attr>:$softcap, // c x tanh(score/c), before bias and masks
    OptionalAttr<F64Attr>:$masked_score, // -inf: the score of an entry whose mask is false
    DefaultValuedAttr<Heddle_CausalAttr, "::heddle::Causal::None">:$causal,
    OptionalAttr<DenseI64ArrayAttr>:$window, // [left, right] extents, -1: unlimited
    DefaultValuedAttr<Heddle_EmptyRowAttr, "::heddle::EmptyRow::Zeros">:$empty_row,
    DefaultValuedAttr<Heddle_SoftmaxPrecisionAttr, "::heddle::SoftmaxPrecision::F32">:$softmax_precision,
    OptionalAttr<TypeAttr>:$rounding, // of what is multiplied
    DefaultValuedAttr<Heddle_LayoutAttr, "::heddle::Layout::Bhsd">:$query_layout,
    DefaultValuedAttr<Heddle_LayoutAttr, "::heddle::Layout::Bhsd">:$key_layout,
    DefaultValuedAttr<Heddle_LayoutAttr, "::heddle::Layout::Bhsd">:$value_layout,
    DefaultValuedAttr<Heddle_LayoutAttr, "::heddle::Layout::Bhsd">:$result_layout,
    UnitAttr:$with_weights); // adds the second result, the softmax weights [B,Hq,Sq,Skv]
  let results = (outs Heddle_FloatTensor:$result, Optional<Heddle_FloatTensor>:$weights);
  let regions = (region MaxSizedRegion<1>:$score, MaxSizedRegion<1>:$probability); // empty where there is none
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
    /// Sizes as the description names them, refined over all operands; ShapedType::kDynamic
    /// where none of them knows.
    struct Sizes {
      int64_t batch, queryHeads, keyHeads, queries, keys, headSize, valueSize;
    };
    Sizes getSizes();
    /// `scale`, or 1/sqrt(D); D must be known.
    double getScaleValue();
    /// `masked_score`, or -inf.
    double getMaskedScoreValue();
    /// Scores from which on, up or down, `rounding` leaves exponentials as they are of differences to the maximum: its last
    /// digit counts for more than which power of two it is near. (The lowest number there is, as of a mask, has no power.)
    static constexpr double largestPower = 0x1p20;
    /// Extents of the window, -1 where there is no limit. One beyond any position is cut to what can
    /// be added to a position.
    int64_t getWindowLeft() { return getWindow() ? std::min<int64_t>((*getWindow())[0], INT64_MAX / 4) : -1; }
    int64_t getWindowRight() { return getWindow() ? std::min<int64_t>((*getWindow())[1], INT64_MAX / 4) : -1; }
    bool hasScore() { return !getScore().empty(); }
    bool hasProbability() { return !getProbability().empty(); }
    /// The type that the softmax is computed in, and scores are changed in.
    ::mlir::Type getSoftmaxType();
    /// What a region's block takes.
    ::llvm::SmallVector<::mlir::Type> getRegionTypes();
    /// (C11) to (C13).
    ::llvm::LogicalResult verifyReadsAndRegions();
    /// (C14).
    ::llvm::LogicalResult verifyRounding();
    /// What the region yields of arguments of these types, as operations of scalars.
    static ::mlir::Value inlineRegion(::mlir::OpBuilder &b, ::mlir::Region &region, ::mlir::ValueRange arguments);
  }];
}

#endif // HEDDLE_OPS_ATTENTION_TD
