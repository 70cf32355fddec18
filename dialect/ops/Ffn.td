//===- Ffn.td - the feed-forward layer of a transformer -------------------===//

#ifndef HEDDLE_OPS_FFN_TD
#define HEDDLE_OPS_FFN_TD

include "HeddleBase.td"

def Heddle_FfnOp : Heddle_Op<"ffn", [AttrSizedOperandSegments]> {
  let summary = "two linear layers around an activation, plain or gated";
  let description = [{
    Plain: activation(input x up + up_bias) x down + down_bias + residual. Gated:
    (activation(input x gate + gate_bias) * (input x up + up_bias)) x down + down_bias
    + residual. input [.., K], up and gate [K, H], down [H, N], result [.., N].
  }];
  let arguments = (ins
    Heddle_FloatTensor:$input, Heddle_FloatTensor:$up, Heddle_FloatTensor:$down,
    Optional<Heddle_FloatTensor>:$up_bias, Optional<Heddle_FloatTensor>:$down_bias,
    Optional<Heddle_FloatTensor>:$gate, Optional<Heddle_FloatTensor>:$gate_bias,
    Optional<Heddle_FloatTensor>:$residual,
    DefaultValuedAttr<Heddle_ActivationAttr, "::heddle::Activation::Gelu">:$activation);
  let results = (outs Heddle_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $up `,` $down (`up_bias` `(` $up_bias^ `)`)? (`down_bias` `(` $down_bias^ `)`)?
    (`gate` `(` $gate^ `)`)? (`gate_bias` `(` $gate_bias^ `)`)? (`residual` `(` $residual^ `)`)?
    attr-dict `:` functional-type(operands, results)
  }];
}

#endif // HEDDLE_OPS_FFN_TD
