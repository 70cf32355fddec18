//===- Linear.td - a linear layer with its epilogue -----------------------===//

#ifndef HEDDLE_OPS_LINEAR_TD
#define HEDDLE_OPS_LINEAR_TD

include "HeddleBase.td"

def Heddle_LinearOp : Heddle_LayerOp<"linear",
    ["getResidualPlace", "canLeaveRowsOut", "staysValid", "getMultiplyAdds"], [AttrSizedOperandSegments]> {
  let summary = "activation(input x weight + bias) + residual";
  let description = [{
    input is [.., K], weight [K, N], bias [N]; residual and the result are [.., N].

    A packed weight has rank 3, [P, K, panel]: P = ceil(N / panel) panels of `panel` columns, padded with zeros.
    `transform.heddle.pack_weight` creates it. Its shape does not determine N, which is taken from the result. A packed
    weight with interleaved panels has rank 4, [interleaved, P, K, panel] with P = ceil(N / panel / interleaved): panel
    q, counted in the order of columns, is at [q mod interleaved, q div interleaved].

    With `rounding`, the rows of the input are rounded before the product, as #heddle.row_rounding describes. A rounded
    weight is the result of a `heddle.dequantize`. The outlier channels, columns of the input that are not rounded, are
    listed in ascending order either in `rounding` or in the operand `outlier_channels`.

    Constraints:
    * (C1) all operands but outlier_channels, and the result, have one element type; input has at least rank 1;
      weight has rank 2, or 3 or 4 if it is packed.
    * (C2) weight has K rows.
    * (C3) bias has shape [N].
    * (C4) residual has the shape of the result, which has the rank of input.
    * (C5) if weight is packed, (P - 1) x interleaved x panel < N <= P x interleaved x panel (interleaved is 1 for rank
      3).
    * (C6) rounding requires an input of f32; the type of rounding is bf16, f16, ui8, i8 or si8. At most one of block,
      per_tensor and scale is given, and only for an integer type. scale is a positive, finite f32; zero requires scale
      and is a value of the type. The outlier channels of rounding ascend and lie within the input's columns; at least
      one column is not an outlier channel.
    * (C7) outlier_channels requires a rounding that lists no outlier channels. It has fewer elements than the input has
      columns.

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
    Optional<Heddle_NumbersTensor>:$outlier_channels,
    DefaultValuedAttr<Heddle_ActivationAttr, "::heddle::Activation::None">:$activation,
    OptionalAttr<Heddle_RowRoundingAttr>:$rounding);
  let results = (outs Heddle_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $weight oilist(`bias` `(` $bias `)` | `residual` `(` $residual `)`
      | `activation` `(` custom<Word>($activation) `)` | `rounding` `(` custom<RowRounding>($rounding) `)`
      | `outlier_channels` `(` $outlier_channels `)`)
    attr-dict `:` functional-type(operands, results)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$type, "::mlir::Value":$input, "::mlir::Value":$weight,
                                 "::mlir::Value":$bias, "::mlir::Value":$residual,
                                 "::heddle::ActivationAttr":$activation, "::heddle::RowRoundingAttr":$rounding), [{
    build($_builder, $_state, type, input, weight, bias, residual, /*outlier_channels=*/{}, activation, rounding);
  }]>, OpBuilder<(ins "::mlir::Type":$type, "::mlir::Value":$input, "::mlir::Value":$weight, "::mlir::Value":$bias,
                      "::mlir::Value":$residual, "::heddle::Activation":$activation,
                      "::heddle::RowRoundingAttr":$rounding), [{
    build($_builder, $_state, type, input, weight, bias, residual, /*outlier_channels=*/{}, activation, rounding);
  }]>];
  let hasCanonicalizer = 1;
  let extraClassDeclaration = "::llvm::LogicalResult verifyRounding();";
}

#endif // HEDDLE_OPS_LINEAR_TD
