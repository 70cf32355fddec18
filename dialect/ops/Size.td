//===- Size.td - a size that each call provides ---------------------------===//

#ifndef HEDDLE_OPS_SIZE_TD
#define HEDDLE_OPS_SIZE_TD

include "HeddleBase.td"

def Heddle_SizeOp : Op<Heddle_Dialect, "size", [Pure]> {
  let summary = "the value that a size in a range has in the current call";
  let description = [{
    `name` is the name of a size in the module's attribute `heddle.sizes` or `heddle.derived`. Until code is generated,
    static types contain a number, the placeholder, for the size (Sizes.h). Code that computes a value from the size
    uses this operation instead of the placeholder.

    Example:
    ```mlir
    %0 = heddle.size "sequence_length"
    ```
  }];
  let arguments = (ins StrAttr:$name);
  let results = (outs Index:$result);
  let assemblyFormat = "$name attr-dict";
}

#endif // HEDDLE_OPS_SIZE_TD
