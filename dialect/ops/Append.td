//===- Append.td - appends rows to a state --------------------------------===//

#ifndef HEDDLE_OPS_APPEND_TD
#define HEDDLE_OPS_APPEND_TD

include "HeddleBase.td"

def Heddle_AppendOp : Heddle_LayerOp<"append", ["getOperandRows"]> {
  let summary = "appends new rows to the rows of a state";
  let description = [{
    input [B,H,S,D] contains the new rows, state is [B,H,C,D], past is i64 [B]. The result is a copy of the state in
    which rows past_b to past_b + S - 1 of each head of sequence b are the rows of the input, converted to the state's
    element type. All other rows are unchanged. Operations that read the new rows use the result.

    A state of i8 has an operand `scales` [B,H,C,1]; the second result is the updated scales. A new row with elements x
    (f32) is stored as the scale max(largest |x|, 2^-100) / 127 and the integers min(127, max(-127, rint(x / scale))),
    with ties to even. A row with a NaN or an infinity is stored as the scale NaN and the integers -127.
    `heddle.dequantize` of both results, with blocks of one row, returns the rounded values.

    C is the capacity: the maximum number of rows, not the current number. Each past_b must lie in [0, C - S]; other
    values are undefined behavior. The creator of the operation must exclude other values by `heddle.range`,
    `heddle.checked_index`, or `heddle.state_past`, which a library checks in each call. The operation represents an
    update of a decoder's key-value cache: an argument and a result of @main with the same `heddle.state` share one
    block of the caller's memory, so only the new rows are written and no row is copied.

    Constraints:
    * (C1) input, state and the result have rank 4.
    * (C2) input has the batch size, heads and row size of state.
    * (C3) past contains one number for each sequence.
    * (C4) a state of integers requires scales, one for each of its rows; a state of floats excludes scales.

    Example:
    ```mlir
    func.func @example(%new: tensor<2x3x1x64xf32>, %past: tensor<2xi64>, %keys: tensor<2x3x512x64xf32>,
                       %bytes: tensor<2x3x512x64xi8>, %scales: tensor<2x3x512x1xf32>) {
      %0 = heddle.append %new into %keys at %past : tensor<2x3x1x64xf32> into tensor<2x3x512x64xf32>, tensor<2xi64>
      %1:2 = heddle.append %new into %bytes scales(%scales : tensor<2x3x512x1xf32>) at %past
         : tensor<2x3x1x64xf32> into tensor<2x3x512x64xi8>, tensor<2xi64>
      return
    }
    ```
  }];
  let arguments = (ins Heddle_FloatTensor:$input, Heddle_StoredTensor:$state, Heddle_LengthTensor:$past,
                   Optional<RankedTensorOf<[F32]>>:$scales);
  let results = (outs Heddle_StoredTensor:$result, Optional<RankedTensorOf<[F32]>>:$last_scales);
  let assemblyFormat = [{
    $input `into` $state (`scales` `(` $scales^ `:` type($scales) `)`)? `at` $past attr-dict `:` type($input) `into`
    type($state) `,` type($past)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$input, "::mlir::Value":$state, "::mlir::Value":$past), [{
    build($_builder, $_state, state.getType(), ::mlir::Type(), input, state, past, ::mlir::Value());
  }]>];
}

#endif // HEDDLE_OPS_APPEND_TD
