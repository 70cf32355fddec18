//===- LinearAttention.td - attention without a softmax -------------------===//

#ifndef HEDDLE_OPS_LINEAR_ATTENTION_TD
#define HEDDLE_OPS_LINEAR_ATTENTION_TD

include "HeddleBase.td"

def Heddle_FeatureMap : Heddle_Enum<"FeatureMap", "function that is applied to query and key", [
  I32EnumAttrCase<"Identity", 0, "identity">,
  I32EnumAttrCase<"EluPlusOne", 1, "elu_plus_one"> // x + 1 for x > 0, exp(x) otherwise
]>;
def Heddle_FeatureMapAttr : Heddle_EnumAttr<Heddle_FeatureMap, "feature_map">;

def Heddle_LinearAttentionOp : Heddle_LayerOp<"linear_attention",
    ["getOperandRows", "getMultiplyAdds"]> {
  let summary = "attention by a feature map: scale x f(query) (f(key)^T value)";
  let description = [{
    query is [.., Sq, D], key [.., Skv, D], value [.., Skv, Dv]; the result is [.., Sq, Dv]. f is the feature map. Every
    query attends to every key. With `normalized`, row i of the result is divided by scale x f(query_i) . sum_j f(key_j)
    (Katharopoulos et al. 2020, eq. 5).

    Constraints:
    * (C1) query, key, value and the result have the same rank, at least 2, and the same element type.
    * (C2) query, key and value have equal leading dimensions.
    * (C3) key has the head size D of query.
    * (C4) value has the key positions Skv of key.

    Example:
    ```mlir
    %0 = heddle.linear_attention %q, %k, %v scale(0.5)
       : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    ```
  }];
  let arguments = (ins
    Heddle_FloatTensor:$query, Heddle_FloatTensor:$key, Heddle_FloatTensor:$value,
    DefaultValuedAttr<F64Attr, "1.0">:$scale,
    DefaultValuedAttr<Heddle_FeatureMapAttr, "::heddle::FeatureMap::EluPlusOne">:$feature_map,
    UnitAttr:$normalized);
  let results = (outs Heddle_FloatTensor:$result);
  let assemblyFormat = [{
    $query `,` $key `,` $value oilist(`scale` `(` custom<Number>($scale) `)`
      | `feature_map` `(` custom<Word>($feature_map) `)` | `normalized` $normalized)
    attr-dict `:` functional-type(operands, results)
  }];
}

#endif // HEDDLE_OPS_LINEAR_ATTENTION_TD
