//===- Norm.td - layer_norm and rms_norm ----------------------------------===//

#ifndef HEDDLE_OPS_NORM_TD
#define HEDDLE_OPS_NORM_TD

include "HeddleBase.td"

class Heddle_NormOp<string mnemonic> : Heddle_LayerOp<mnemonic,
    ["getResidualPlace", "canLeaveRowsOut", "staysValid", "getOtherOperations"], [AttrSizedOperandSegments]> {
  let results = (outs Heddle_FloatTensor:$result);
  let hasCanonicalizer = 1;
}

def Heddle_LayerNormOp : Heddle_NormOp<"layer_norm"> {
  let summary = "(x - mean) / sqrt(variance + epsilon) x scale + bias over the last dimension";
  let description = [{
    input is [.., D]; scale and bias are [D]. x is the input plus the residual if there is a residual, otherwise the
    input. The variance is the mean of (x - mean)^2, with divisor D (Ba et al. 2016).

    Constraints:
    * (C1) all operands and the result have one element type; input has at least rank 1.
    * (C2) scale and bias have shape [D].
    * (C3) residual and the result have the shape of input.
    * (C4) epsilon is finite and not negative.

    Example:
    ```mlir
    %0 = heddle.layer_norm %x scale(%g) bias(%b) residual(%r) epsilon(1.0e-12)
       : (tensor<8x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<8x384xf32>) -> tensor<8x384xf32>
    ```
  }];
  let arguments = (ins Heddle_FloatTensor:$input, Optional<Heddle_FloatTensor>:$scale,
    Optional<Heddle_FloatTensor>:$bias, Optional<Heddle_FloatTensor>:$residual,
    DefaultValuedAttr<F64Attr, "1e-05">:$epsilon);
  let assemblyFormat = [{
    $input oilist(`scale` `(` $scale `)` | `bias` `(` $bias `)` | `residual` `(` $residual `)`
      | `epsilon` `(` custom<Number>($epsilon) `)`)
    attr-dict `:` functional-type(operands, results)
  }];
}

def Heddle_RmsNormOp : Heddle_NormOp<"rms_norm"> {
  let summary = "x / sqrt(mean(x^2) + epsilon) x scale over the last dimension";
  let description = [{
    input is [.., D]; scale is [D] (Zhang and Sennrich 2019). x is the input plus the residual if there is a residual,
    otherwise the input.

    Constraints:
    * (C1) all operands and the result have one element type; input has at least rank 1.
    * (C2) scale has shape [D].
    * (C3) residual and the result have the shape of input.
    * (C4) epsilon is finite and not negative.

    Example:
    ```mlir
    %0 = heddle.rms_norm %x scale(%g) : (tensor<8x384xf32>, tensor<384xf32>) -> tensor<8x384xf32>
    ```
  }];
  let arguments = (ins Heddle_FloatTensor:$input, Optional<Heddle_FloatTensor>:$scale,
    Optional<Heddle_FloatTensor>:$residual, DefaultValuedAttr<F64Attr, "1e-05">:$epsilon);
  let assemblyFormat = [{
    $input oilist(`scale` `(` $scale `)` | `residual` `(` $residual `)` | `epsilon` `(` custom<Number>($epsilon) `)`)
    attr-dict `:` functional-type(operands, results)
  }];
}

#endif // HEDDLE_OPS_NORM_TD
