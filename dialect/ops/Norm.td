//===- Norm.td - layer_norm and rms_norm ----------------------------------===//

#ifndef HEDDLE_OPS_NORM_TD
#define HEDDLE_OPS_NORM_TD

include "HeddleBase.td"

class Heddle_NormOp<string mnemonic, list<Trait> traits = []> : Heddle_Op<mnemonic,
    !listconcat([AttrSizedOperandSegments, SameOperandsAndResultElementType], traits)> {
  let results = (outs Heddle_FloatTensor:$result);
}

def Heddle_LayerNormOp : Heddle_NormOp<"layer_norm", [AllTypesMatch<["input", "result"]>]> {
  let summary = "(x - mean) / sqrt(variance + epsilon) x scale + bias over the last dimension";
  let description = [{
    input [.., D]; scale and bias [D]; variance divides by D (Ba et al. 2016).
    The residual, where present, is added to the input first.
  }];
  let arguments = (ins Heddle_FloatTensor:$input, Optional<Heddle_FloatTensor>:$scale,
    Optional<Heddle_FloatTensor>:$bias, Optional<Heddle_FloatTensor>:$residual,
    DefaultValuedAttr<F64Attr, "1e-05">:$epsilon);
  let assemblyFormat = [{
    $input (`scale` `(` $scale^ `)`)? (`bias` `(` $bias^ `)`)? (`residual` `(` $residual^ `)`)?
    attr-dict `:` functional-type(operands, results)
  }];
}

def Heddle_RmsNormOp : Heddle_NormOp<"rms_norm", [AllTypesMatch<["input", "result"]>]> {
  let summary = "x / sqrt(mean(x^2) + epsilon) x scale over the last dimension";
  let arguments = (ins Heddle_FloatTensor:$input, Optional<Heddle_FloatTensor>:$scale,
    Optional<Heddle_FloatTensor>:$residual, DefaultValuedAttr<F64Attr, "1e-05">:$epsilon);
  let assemblyFormat = [{
    $input (`scale` `(` $scale^ `)`)? (`residual` `(` $residual^ `)`)?
    attr-dict `:` functional-type(operands, results)
  }];
}

#endif // HEDDLE_OPS_NORM_TD
