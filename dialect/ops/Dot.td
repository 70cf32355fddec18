//===- Dot.td - sums of products of what is stored in few bits ------------===//

#ifndef HEDDLE_OPS_DOT_TD
#define HEDDLE_OPS_DOT_TD

include "HeddleBase.td"

def Heddle_DotOp : Heddle_Op<"dot", [AllTypesMatch<["acc", "result"]>,
    TypesMatchWith<"rhs is as lhs, bytes for words", "lhs", "rhs", "::heddle::DotOp::typeOfRhs($_self)">]> {
  let summary = "lane by lane, the products of a few neighbours, added up";
  let description = [{
    result[i] = acc[i] + sum over j < J of lhs[J x i + j] * rhs[J x i + j], what processors have an instruction for: of
    bytes J is 4 and sums are i32, which wrap; of bf16 J is 2, sums are f32, and it is left open how they are rounded,
    and whether numbers below the least normal one count as zero. Bytes of rhs have a sign, those of lhs have one unless
    they are `unsigned`: which one is cheaper differs between CPUs, whose limits (unsigned_dots) tell. Words of lhs, i16,
    are multiplied with bytes of rhs, of which J is 2: CPUs that multiply no bytes have these (dot_bits).

    Made by lowerings; targets turn it into what they have (vpdpbusd, vdpbf16ps, sdot, usdot, bfdot, or products of
    wider numbers).

    Constraints:
    * (C1) lhs and rhs are vectors of 4 times as many i8 as acc has i32, or of twice as many bf16 as acc has f32; or of
      twice as many i16, with a rhs of i8, as acc has i32.
    * (C2) only bytes are unsigned.

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
    /// What stands on the other side of `lhs`: bytes where it has words, else the same.
    static ::mlir::Type typeOfRhs(::mlir::Type lhs);
  }];
}

#endif // HEDDLE_OPS_DOT_TD
