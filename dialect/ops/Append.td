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

    C is the capacity: how many rows there can be, not how many there are. Each past_b is at least 0 and at most C - S:
    others have no meaning, and whoever makes the operation makes sure of that (`heddle.range`, `heddle.checked_index`,
    or `heddle.state_past`, which a library checks at each call). It is for the keys and values that a decoder keeps: an
    argument and a result of @main with one `heddle.state` are one memory of the caller, in which the rows are written
    where they belong and nothing is copied.

    Constraints:
    * (C1) input, state and the result have rank 4.
    * (C2) input has the batch size, heads and row size of state.
    * (C3) past has one number for each sequence.

    Example:
    ```mlir
    %0 = heddle.append %key into %keys at %past : tensor<2x3x1x64xf32> into tensor<2x3x512x64xf32>, tensor<2xi64>
    ```
  }];
  let arguments = (ins Heddle_FloatTensor:$input, Heddle_FloatTensor:$state, Heddle_LengthTensor:$past);
  let results = (outs Heddle_FloatTensor:$result);
  let assemblyFormat = [{
    $input `into` $state `at` $past attr-dict `:` type($input) `into` type($state) `,` type($past)
  }];
}

#endif // HEDDLE_OPS_APPEND_TD
