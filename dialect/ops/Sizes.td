//===- Sizes.td - integers computed from sizes ----------------------------===//

#ifndef HEDDLE_OPS_SIZES_TD
#define HEDDLE_OPS_SIZES_TD

include "HeddleBase.td"

def Heddle_SizesOp : Op<Heddle_Dialect, "sizes", [Pure]> {
  let summary = "a tensor of integers that are computed from sizes in ranges";
  let description = [{
    Represents, during an import, a tensor whose elements depend on sizes that lie in a range: `elements` has the code
    of an expression (SizeExpression.h) for each element, in row-major order, or a single expression for all of them,
    which may contain the element's place. It is not a constant and is never folded: an importer that needs the integers
    asks for the expressions, and rejects the model if they do not decide its question. At the end of the import the
    remaining ones are replaced by operations on `heddle.size`.

    Example: the shape of a tensor of 2 rows of `s` columns, where `s` is size 0
    ```mlir
    %0 = heddle.sizes [array<i64: 0, 2>, array<i64: 1, 0>] : tensor<2xi64>
    ```

    Constraints:
    * (C1) Each of `elements` is the code of an expression.
    * (C2) There is one expression, or one for each element of the type.
    * (C3) The elements of the type are integers.
  }];
  let arguments = (ins ArrayAttr:$elements);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$elements attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif // HEDDLE_OPS_SIZES_TD
