//===- Linear.td - a linear layer with its epilogue -----------------------===//

#ifndef HEDDLE_OPS_LINEAR_TD
#define HEDDLE_OPS_LINEAR_TD

include "HeddleBase.td"

def Heddle_LinearOp : Heddle_Op<"linear", [
    AttrSizedOperandSegments]> {
  let summary = "activation(input x weight + bias) + residual";
  let description = [{
    input [.., K], weight [K, N], bias [N], residual and result [.., N].

    A packed weight has rank 3, [ceil(N / panel), K, panel], with zeros after
    column N: what `transform.heddle.pack_weight` makes of it.
  }];
  let arguments = (ins
    Heddle_FloatTensor:$input, Heddle_FloatTensor:$weight,
    Optional<Heddle_FloatTensor>:$bias, Optional<Heddle_FloatTensor>:$residual,
    DefaultValuedAttr<Heddle_ActivationAttr, "::heddle::Activation::None">:$activation);
  let results = (outs Heddle_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $weight (`bias` `(` $bias^ `)`)? (`residual` `(` $residual^ `)`)?
    attr-dict `:` functional-type(operands, results)
  }];
}

#endif // HEDDLE_OPS_LINEAR_TD
