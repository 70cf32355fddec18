//===- Sizes.td - integers computed from sizes ----------------------------===//

#ifndef HEDDLE_OPS_SIZES_TD
#define HEDDLE_OPS_SIZES_TD

include "HeddleBase.td"

def Heddle_SizesOp : Op<Heddle_Dialect, "sizes", [Pure]> {
  let summary = "a tensor of integers that are computed from sizes in ranges";
  let description = [{
    Represents, during an import, a tensor whose elements depend on sizes that lie in ranges. `elements` contains the
    code of an expression (SizeExpression.h) for each element, in row-major order, or a single expression for all
    elements, which may contain the element's indices. The operation is not a constant and is never folded: an importer
    that needs the integers reads the expressions, and rejects the model if a decision depends on the sizes. At the end
    of the import, operations on `heddle.size` replace the remaining operations of this kind.

    Example: the shape of a tensor with 2 rows and `s` columns, where `s` is the first of the module's `heddle.sizes`.
    The code [0, 2] is the number 2, and the code [1, 0] is the size with index 0.
    ```mlir
    %0 = heddle.sizes [array<i64: 0, 2>, array<i64: 1, 0>] : tensor<2xi64>
    ```

    Constraints:
    * (C1) Each element of `elements` is the code of an expression.
    * (C2) There is one expression, or one for each element of the type.
    * (C3) The element type of the result is an integer type.
  }];
  let arguments = (ins ArrayAttr:$elements);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$elements attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif // HEDDLE_OPS_SIZES_TD
