//===- Widen.td - numbers that are stored in fewer bits -------------------===//

#ifndef HEDDLE_OPS_WIDEN_TD
#define HEDDLE_OPS_WIDEN_TD

include "HeddleBase.td"

def Heddle_WidenOp : Heddle_Op<"widen", [SameOperandsAndResultShape]> {
  let summary = "the same numbers as wider floats";
  let description = [{
    What computes in f32 reads a tensor of f16 or bf16 through it. As `arith.extf` it changes no number; other than
    that one, nothing is computed here and the wider tensor is nowhere in memory: each kernel gets the narrow one and
    converts what it loads. Views and recipes of weights go to the narrow side.

    Constraints:
    * (C1) the result's elements are wider floats than the operand's.

    Example:
    ```mlir
    %0 = heddle.widen %w : tensor<384x1536xbf16> -> tensor<384x1536xf32>
    ```
  }];
  let arguments = (ins Heddle_FloatTensor:$input);
  let results = (outs Heddle_FloatTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
}

#endif // HEDDLE_OPS_WIDEN_TD
