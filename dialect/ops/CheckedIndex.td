//===- CheckedIndex.td - indices that nobody can bound --------------------===//

#ifndef HEDDLE_OPS_CHECKED_INDEX_TD
#define HEDDLE_OPS_CHECKED_INDEX_TD

include "HeddleBase.td"

def Heddle_IndexTensor : RankedTensorOf<[AnySignlessInteger]>;

def Heddle_CheckedIndexOp : Heddle_Op<"checked_index", [SameOperandsAndResultType]> {
  let summary = "indices of elements, or the call fails";
  let description = [{
    Each of `indices` becomes the number of an element among `extent`, negative ones counted from the end: from
    -`extent` to -1 they become 0 to `extent` - 1. One outside of [-`extent`, `extent`) makes the call fail: the
    interpreter with an error, the library with `HEDDLE_INDEX_OUT_OF_RANGE`, after which outputs may hold anything.
    Nothing is read outside of a tensor on the way.

    An index that is an input itself needs no such operation: the library checks its `heddle.range` before the call.

    Constraints:
    * (C1) `extent` is at least 1, and a number that the element type of `indices` can hold.

    Example:
    ```mlir
    %0 = heddle.checked_index %last of 128 : tensor<8xi64>
    ```
  }];
  let arguments = (ins Heddle_IndexTensor:$indices, I64Attr:$extent);
  let results = (outs Heddle_IndexTensor:$result);
  let assemblyFormat = "$indices `of` $extent attr-dict `:` type($indices)";
}

#endif // HEDDLE_OPS_CHECKED_INDEX_TD
