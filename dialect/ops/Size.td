//===- Size.td - a size that each call brings -----------------------------===//

#ifndef HEDDLE_OPS_SIZE_TD
#define HEDDLE_OPS_SIZE_TD

include "HeddleBase.td"

def Heddle_SizeOp : Op<Heddle_Dialect, "size", [Pure]> {
  let summary = "a size of the model that lies in a range, as it is in this call";
  let description = [{
    `name` is one of the module's `heddle.sizes` or `heddle.derived`. Until code is made, static extents stand for such
    sizes (Sizes.h); what depends on one is computed from this operation.

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
