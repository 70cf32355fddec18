//===- RecurrentAttention.td - attention with a recurrent state -----------===//

#ifndef HEDDLE_OPS_RECURRENT_ATTENTION_TD
#define HEDDLE_OPS_RECURRENT_ATTENTION_TD

include "HeddleBase.td"

def Heddle_RecurrentAttentionOp : Heddle_LayerOp<"recurrent_attention",
    ["getResultRows", "getOperandRows", "getMultiplyAdds", "getOtherOperations"], [AttrSizedOperandSegments]> {
  let summary = "linear attention as a recurrence over positions, with gates";
  let description = [{
    query is [B,S,Hq,D], key [B,S,Hkv,D], value [B,S,Hkv,Dv], decay [B,S,Hkv,D] or [B,S,Hkv,1], beta [B,S,Hkv,1] or
    [B,S,1,1], and state [B,Hkv,D,Dv] (zeros if absent). The first result is [B,S,Hq,Dv], the second is the state after
    the last position. Query head h uses the state of key head h / (Hq / Hkv).

    At each position, from the first to the last, the state M [D,Dv] of each key head is updated and then read:
    1. With `decay`, row d of M is multiplied by exp(decay[d]) (or by exp(decay[0]) if decay has a last dimension of 1).
    2. update = value. With `beta`, update = beta x (value - key M), so only the difference from the value that the
       state predicts is added (the delta rule, Schlag et al. 2021).
    3. M = M + key^T update.
    4. The result of each query head is `scale` x query M.

    Constraints:
    * (C1) all operands and results have one element type; all operands have rank 4.
    * (C2) key has the batch size B, the positions S and the head size D of query; Hkv >= 1, and Hq is a multiple of
      Hkv.
    * (C3) value has the batch size, positions and heads of key.
    * (C4) decay has the batch size, positions and heads of key, and the last dimension 1 or D.
    * (C5) beta has the batch size and positions of key, 1 or Hkv heads, and the last dimension 1.
    * (C6) state has shape [B,Hkv,D,Dv].

    Example:
    ```mlir
    %0:2 = heddle.recurrent_attention %q, %k, %v decay(%g) beta(%b) state(%m) scale(0.125)
       : (tensor<1x9x4x64xf32>, tensor<1x9x2x64xf32>, tensor<1x9x2x32xf32>, tensor<1x9x2x1xf32>,
          tensor<1x9x2x1xf32>, tensor<1x2x64x32xf32>) -> (tensor<1x9x4x32xf32>, tensor<1x2x64x32xf32>)
    ```
  }];
  let arguments = (ins
    Heddle_FloatTensor:$query, Heddle_FloatTensor:$key, Heddle_FloatTensor:$value,
    Optional<Heddle_FloatTensor>:$decay, Optional<Heddle_FloatTensor>:$beta,
    Optional<Heddle_FloatTensor>:$state, DefaultValuedAttr<F64Attr, "1.0">:$scale);
  let results = (outs Heddle_FloatTensor:$result, Heddle_FloatTensor:$last_state);
  let assemblyFormat = [{
    $query `,` $key `,` $value oilist(`decay` `(` $decay `)` | `beta` `(` $beta `)` | `state` `(` $state `)`
      | `scale` `(` custom<Number>($scale) `)`)
    attr-dict `:` functional-type(operands, results)
  }];
}

#endif // HEDDLE_OPS_RECURRENT_ATTENTION_TD
