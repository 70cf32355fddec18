//===- LinearAttention.td - attention without a softmax -------------------===//

#ifndef HEDDLE_OPS_LINEAR_ATTENTION_TD
#define HEDDLE_OPS_LINEAR_ATTENTION_TD

include "HeddleBase.td"

def Heddle_FeatureMap : Heddle_Enum<"FeatureMap", "what is applied to query and key", [
  I32EnumAttrCase<"Identity", 0, "identity">,
  I32EnumAttrCase<"EluPlusOne", 1, "elu_plus_one"> // x + 1 for x > 0, exp(x) otherwise
]>;
def Heddle_FeatureMapAttr : Heddle_EnumAttr<Heddle_FeatureMap, "feature_map">;

def Heddle_LinearAttentionOp : Heddle_Op<"linear_attention", [
    InferTypeOpAdaptor]> {
  let summary = "attention by a feature map: scale x f(query) (f(key)^T value)";
  let description = [{
    query [.., Sq, D], key [.., Skv, D], value [.., Skv, Dv] with equal leading
    dimensions; result [.., Sq, Dv]. With `normalized`, row i is divided by
    scale x f(query_i) . sum_j f(key_j) (Katharopoulos et al. 2020, eq. 5).
  }];
  let arguments = (ins
    Heddle_FloatTensor:$query, Heddle_FloatTensor:$key, Heddle_FloatTensor:$value,
    DefaultValuedAttr<F64Attr, "1.0">:$scale,
    DefaultValuedAttr<Heddle_FeatureMapAttr, "::heddle::FeatureMap::EluPlusOne">:$feature_map,
    UnitAttr:$normalized);
  let results = (outs Heddle_FloatTensor:$result);
  let assemblyFormat = "$query `,` $key `,` $value attr-dict `:` functional-type(operands, results)";
}

#endif // HEDDLE_OPS_LINEAR_ATTENTION_TD
