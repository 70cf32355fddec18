//===- Append.td - new rows of a state ------------------------------------===//

#ifndef HEDDLE_OPS_APPEND_TD
#define HEDDLE_OPS_APPEND_TD

include "HeddleBase.td"

def Heddle_AppendOp : Heddle_LayerOp<"append", ["getOperandRows"]> {
  let summary = "a state with new rows behind those that are there";
  let description = [{
    input [B,H,S,D] of new rows, state [B,H,C,D], past i64 [B]. Rows past_b to past_b + S - 1 of each head of sequence b
    become those of the input, converted to the state's element type; all other rows stay as they are, whatever they
    hold. The result is the state after that, and who reads the new rows takes it.

    A state of i8 has `scales` [B,H,C,1] beside it, of which the second result is what they are then: a new row x, in f32,
    has the scale max(|x|, 2^-100) / 127 and the integers min(127, max(-127, rint(x / scale))), ties to even. A row with
    a NaN or an infinity has the scale NaN, and integers of -127. `heddle.dequantize` of both results, in blocks of a row, is
    what was stored.

    C is the capacity: how many rows there can be, not how many there are. Each past_b is at least 0 and at most C - S:
    others have no meaning, and whoever makes the operation makes sure of that (`heddle.range`, `heddle.checked_index`,
    or `heddle.state_past`, which a library checks at each call). It is for the keys and values that a decoder keeps: an
    argument and a result of @main with one `heddle.state` are one memory of the caller, in which the rows are written
    where they belong and nothing is copied.

    Constraints:
    * (C1) input, state and the result have rank 4.
    * (C2) input has the batch size, heads and row size of state.
    * (C3) past has one number for each sequence.
    * (C4) a state of integers has scales, which have a number for each of its rows; a state of floats has none.

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
