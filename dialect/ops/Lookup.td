//===- Lookup.td - bytes by their index in a table ------------------------===//

#ifndef HEDDLE_OPS_LOOKUP_TD
#define HEDDLE_OPS_LOOKUP_TD

include "HeddleBase.td"

def Heddle_LookupOp : Heddle_Op<"lookup", [AllTypesMatch<["indices", "result"]>]> {
  let summary = "replaces each index by the byte at this index of a table of 16 bytes";
  let description = [{
    result[i] = values[indices[i]]. The result is unspecified for an index outside of 0 to 15. Many CPUs have an
    instruction for this lookup (pshufb, tbl).

    Stage vectorize creates this operation for weights that are stored in 4 bits.

    Constraints:
    * (C1) values has 16 numbers from -128 to 127.

    Example:
    ```mlir
    func.func @example(%a: vector<64xi8>) {
      %0 = heddle.lookup %a in [0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12] : vector<64xi8>
      return
    }
    ```
  }];
  let arguments = (ins FixedVectorOfRankAndType<[1], [I8]>:$indices, DenseI64ArrayAttr:$values);
  let results = (outs FixedVectorOfRankAndType<[1], [I8]>:$result);
  let assemblyFormat = "$indices `in` $values attr-dict `:` type($indices)";
}

#endif // HEDDLE_OPS_LOOKUP_TD
