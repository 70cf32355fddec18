//===- CheckedIndex.td - indices with a bounds check ----------------------===//

#ifndef HEDDLE_OPS_CHECKED_INDEX_TD
#define HEDDLE_OPS_CHECKED_INDEX_TD

include "HeddleBase.td"

def Heddle_IndexTensor : RankedTensorOf<[AnySignlessInteger]>;

def Heddle_CheckedIndexOp : Heddle_Op<"checked_index", [SameOperandsAndResultType]> {
  let summary = "indices that are checked against an extent";
  let description = [{
    Converts `indices` to indices in [0, `extent`). Negative indices count from the end: -`extent` to -1 become 0 to
    `extent` - 1. If an index lies outside of [-`extent`, `extent`), the call fails: the interpreter reports an error;
    the library returns `HEDDLE_INDEX_OUT_OF_RANGE`, and the contents of the outputs are undefined. Such an index never
    causes a read outside of a tensor.

    An index that is an input of the model does not need this operation: before the model runs, the library checks the
    elements of the input against the range in the input's attribute `heddle.range`.

    Constraints:
    * (C1) `extent` is at least 1, and representable in the element type of `indices`.

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
