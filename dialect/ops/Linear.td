//===- Linear.td - a linear layer with its epilogue -----------------------===//

#ifndef HEDDLE_OPS_LINEAR_TD
#define HEDDLE_OPS_LINEAR_TD

include "HeddleBase.td"

def Heddle_LinearOp : Heddle_LayerOp<"linear",
    ["getResidualPlace", "canLeaveRowsOut", "staysOrdinary", "getMultiplyAdds"], [AttrSizedOperandSegments]> {
  let summary = "activation(input x weight + bias) + residual";
  let description = [{
    input [.., K], weight [K, N], bias [N], residual and result [.., N].

    A packed weight has rank 3, [P, K, panel] with P = ceil(N / panel) and zeros after
    column N: what `transform.heddle.pack_weight` makes of it. The number of columns is
    then that of the result, for the operands no longer tell it. With panels abreast it has rank 4,
    [abreast, P, K, panel]: of the panels in the order of columns, panel q is [q mod abreast, q div abreast].

    Constraints:
    * (C1) all operands and the result have one element type; input has at least rank 1,
      weight rank 2, or 3 or 4 when packed.
    * (C2) weight has K rows.
    * (C3) bias has shape [N].
    * (C4) residual has the shape of the result.
    * (C5) N of a packed weight: (P - 1) x abreast x panel < N <= P x abreast x panel.

    Example:
    ```mlir
    %0 = heddle.linear %x, %w bias(%b) residual(%r) activation(gelu)
       : (tensor<2x128x384xf32>, tensor<384x1536xf32>, tensor<1536xf32>, tensor<2x128x1536xf32>)
      -> tensor<2x128x1536xf32>
    ```
  }];
  let arguments = (ins
    Heddle_FloatTensor:$input, Heddle_FloatTensor:$weight,
    Optional<Heddle_FloatTensor>:$bias, Optional<Heddle_FloatTensor>:$residual,
    DefaultValuedAttr<Heddle_ActivationAttr, "::heddle::Activation::None">:$activation);
  let results = (outs Heddle_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $weight oilist(`bias` `(` $bias `)` | `residual` `(` $residual `)`
      | `activation` `(` custom<Word>($activation) `)`)
    attr-dict `:` functional-type(operands, results)
  }];
  let hasCanonicalizer = 1;
}

#endif // HEDDLE_OPS_LINEAR_TD
