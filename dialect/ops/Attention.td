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
  I32EnumAttrCase<"Zeros", 0, "zeros">, I32EnumAttrCase<"Nan", 1, "nan">
]>;
def Heddle_EmptyRowAttr : Heddle_EnumAttr<Heddle_EmptyRow, "empty_row">;

def Heddle_SoftmaxPrecision : Heddle_Enum<"SoftmaxPrecision", "type the softmax is computed in", [
  I32EnumAttrCase<"F32", 0, "f32">, I32EnumAttrCase<"F64", 1, "f64">
]>;
def Heddle_SoftmaxPrecisionAttr : Heddle_EnumAttr<Heddle_SoftmaxPrecision, "softmax_precision">;

def Heddle_AttentionOp : Heddle_Op<"attention", [
    AttrSizedOperandSegments, InferTypeOpAdaptor]> {
  let summary = "scaled dot-product attention";
  let description = [{
    query [B,Hq,Sq,D], key [B,Hkv,Skv,D], value [B,Hkv,Skv,Dv] (or with heads and
    sequence swapped, as the layout attributes say); result [B,Hq,Sq,Dv].

    In this order: scores = scale x query key^T; softcap; + bias; then mask, causal,
    window and key lengths remove entries; softmax over the keys; times value.
  }];
  let arguments = (ins
    Heddle_FloatTensor:$query, Heddle_FloatTensor:$key, Heddle_FloatTensor:$value,
    Optional<Heddle_FloatTensor>:$bias, Optional<Heddle_MaskTensor>:$mask,
    Optional<Heddle_LengthTensor>:$key_lengths,
    OptionalAttr<F64Attr>:$scale,   // 1/sqrt(D)
    OptionalAttr<F64Attr>:$softcap, // c x tanh(score/c), before bias and masks
    OptionalAttr<F64Attr>:$masked_score, // -inf: the score of an entry whose mask is false
    DefaultValuedAttr<Heddle_CausalAttr, "::heddle::Causal::None">:$causal,
    OptionalAttr<DenseI64ArrayAttr>:$window, // [left, right] extents, -1: unlimited
    DefaultValuedAttr<Heddle_EmptyRowAttr, "::heddle::EmptyRow::Zeros">:$empty_row,
    DefaultValuedAttr<Heddle_SoftmaxPrecisionAttr, "::heddle::SoftmaxPrecision::F32">:$softmax_precision,
    DefaultValuedAttr<Heddle_LayoutAttr, "::heddle::Layout::Bhsd">:$query_layout,
    DefaultValuedAttr<Heddle_LayoutAttr, "::heddle::Layout::Bhsd">:$key_layout,
    DefaultValuedAttr<Heddle_LayoutAttr, "::heddle::Layout::Bhsd">:$value_layout,
    DefaultValuedAttr<Heddle_LayoutAttr, "::heddle::Layout::Bhsd">:$result_layout,
    UnitAttr:$with_weights); // adds the second result, the softmax weights [B,Hq,Sq,Skv]
  let results = (outs Heddle_FloatTensor:$result, Optional<Heddle_FloatTensor>:$weights);
  let assemblyFormat = [{
    $query `,` $key `,` $value (`bias` `(` $bias^ `)`)? (`mask` `(` $mask^ `)`)?
    (`key_lengths` `(` $key_lengths^ `)`)? attr-dict `:` functional-type(operands, results)
  }];
}

#endif // HEDDLE_OPS_ATTENTION_TD
