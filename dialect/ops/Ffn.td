//===- Ffn.td - the feed-forward layer of a transformer -------------------===//

#ifndef HEDDLE_OPS_FFN_TD
#define HEDDLE_OPS_FFN_TD

include "HeddleBase.td"

def Heddle_FfnOp : Heddle_LayerOp<"ffn",
    ["getResidualPlace", "canLeaveRowsOut", "staysValid", "getMultiplyAdds"], [AttrSizedOperandSegments]> {
  let summary = "feed-forward layer: two linear layers with an activation between them, plain or gated";
  let description = [{
    Without `gate`, the result is activation(input x up + up_bias) x down + down_bias + residual. With `gate`, it is
    (activation(input x gate + gate_bias) * (input x up + up_bias)) x down + down_bias + residual, where * multiplies
    elements. input is [.., K], up and gate are [K, H], down is [H, N], the result is [.., N]. Weights may be packed as
    in `heddle.linear`.

    Constraints:
    * (C1) all operands and the result have one element type; input has at least rank 1;
      up, gate and down have rank 2, or 3 or 4 if they are packed.
    * (C2) up and gate have K rows.
    * (C3) gate has the shape of up; gate_bias needs gate.
    * (C4) down has H rows.
    * (C5) up_bias and gate_bias have shape [H], down_bias [N].
    * (C6) residual has the shape of the result, which has the rank of input.
    * (C7) if down is packed, (P - 1) x interleaved x panel < N <= P x interleaved x panel, where P, interleaved and
      panel are dimensions of down as in `heddle.linear` (interleaved is 1 for rank 3); the same holds for H if up is
      packed.

    Example:
    ```mlir
    %0 = heddle.ffn %x, %up, %down up_bias(%b0) down_bias(%b1) residual(%x)
       : (tensor<128x384xf32>, tensor<384x1536xf32>, tensor<1536x384xf32>, tensor<1536xf32>,
          tensor<384xf32>, tensor<128x384xf32>) -> tensor<128x384xf32>
    ```
  }];
  let arguments = (ins
    Heddle_FloatTensor:$input, Heddle_FloatTensor:$up, Heddle_FloatTensor:$down,
    Optional<Heddle_FloatTensor>:$up_bias, Optional<Heddle_FloatTensor>:$down_bias,
    Optional<Heddle_FloatTensor>:$gate, Optional<Heddle_FloatTensor>:$gate_bias,
    Optional<Heddle_FloatTensor>:$residual,
    DefaultValuedAttr<Heddle_ActivationAttr, "::heddle::Activation::Gelu">:$activation);
  let results = (outs Heddle_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $up `,` $down oilist(`up_bias` `(` $up_bias `)` | `down_bias` `(` $down_bias `)`
      | `gate` `(` $gate `)` | `gate_bias` `(` $gate_bias `)` | `residual` `(` $residual `)`
      | `activation` `(` custom<Word>($activation) `)`)
    attr-dict `:` functional-type(operands, results)
  }];
  let hasCanonicalizer = 1;
}

#endif // HEDDLE_OPS_FFN_TD
