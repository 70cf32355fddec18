//===- Dot.td - dot products of narrow numbers ----------------------------===//

#ifndef HEDDLE_OPS_DOT_TD
#define HEDDLE_OPS_DOT_TD

include "HeddleBase.td"

def Heddle_DotOp : Heddle_Op<"dot", [AllTypesMatch<["acc", "result"]>,
    TypesMatchWith<"rhs is as lhs, bytes for words", "lhs", "rhs", "::heddle::DotOp::typeOfRhs($_self)">]> {
  let summary = "sums of products of neighbouring narrow elements, lane by lane";
  let description = [{
    result[i] = acc[i] + sum over j < J of lhs[J x i + j] * rhs[J x i + j], for which processors have an instruction.
    For bytes J is 4, and the i32 sums wrap. For bf16 J is 2, and sums are f32; their rounding is unspecified, as is
    whether denormal numbers count as zero. The bytes of rhs are signed, those of lhs are signed unless
    `unsigned` is given: which is cheaper differs between CPUs (target fact unsigned_dots). An lhs of i16 is multiplied
    with bytes of rhs, with J = 2, for CPUs that have no products of bytes (target fact dot_bits).

    Created by lowerings. Targets convert it to their instructions (vpdpbusd, vdpbf16ps, sdot, usdot, bfdot, or products
    of wider numbers).

    Constraints:
    * (C1) lhs and rhs are vectors of 4 times as many i8 as acc has i32, or of twice as many bf16 as acc has f32; or of
      twice as many i16, with a rhs of i8, as acc has i32.
    * (C2) `unsigned` is only for bytes.

    Example:
    ```mlir
    func.func @example(%a: vector<64xi8>, %b: vector<64xi8>, %sums: vector<16xi32>) {
      %0 = heddle.dot %a, %b, %sums unsigned : vector<64xi8>, vector<16xi32>
      return
    }
    ```
  }];
  let arguments = (ins
    FixedVectorOfRankAndType<[1], [I8, I16, BF16]>:$lhs, FixedVectorOfRankAndType<[1], [I8, BF16]>:$rhs,
    FixedVectorOfRankAndType<[1], [I32, F32]>:$acc, UnitAttr:$is_unsigned);
  let results = (outs FixedVectorOfRankAndType<[1], [I32, F32]>:$result);
  let assemblyFormat = "$lhs `,` $rhs `,` $acc (`unsigned` $is_unsigned^)? attr-dict `:` type($lhs) `,` type($acc)";
  let extraClassDeclaration = [{
    /// The type of `rhs`: bytes if `lhs` has i16 elements, otherwise the same type.
    static ::mlir::Type typeOfRhs(::mlir::Type lhs);
  }];
}

#endif // HEDDLE_OPS_DOT_TD
