//===- Dot.td - dot products of narrow numbers ----------------------------===//

#ifndef HEDDLE_OPS_DOT_TD
#define HEDDLE_OPS_DOT_TD

include "HeddleBase.td"

def Heddle_DotOp : Heddle_Op<"dot", [AllTypesMatch<["acc", "result"]>,
    TypesMatchWith<"rhs has the type of lhs, with i8 elements if lhs has i16", "lhs", "rhs",
                   "::heddle::DotOp::typeOfRhs($_self)">]> {
  let summary = "adds the products of 2 or 4 neighbouring narrow elements to each lane of an accumulator";
  let description = [{
    result[i] = acc[i] + sum over j < J of lhs[J x i + j] * rhs[J x i + j]. Many CPUs have an instruction for this sum.
    For i8, J is 4, and the sums are i32 and wrap around; or J is 2, and the sums are i16. In the second form, the
    result is unspecified if the sum of two products does not fit into i16. vpmaddubsw computes it for an lhs that is
    `unsigned`; for a signed lhs, targets widen the elements. For bf16, J is 2, and the sums are f32; it is unspecified
    how they are rounded and whether denormal numbers count as zero. The i8 elements of rhs are signed; those of lhs are
    signed unless `unsigned` is given (the target fact unsigned_dots says which form is cheaper on a CPU). An lhs of i16
    has an rhs of i8 and J = 2; this form is for CPUs that cannot add products of i8 in i32 (target fact dot_bits).

    Stage vectorize creates this operation. Targets convert it to their instructions (vpdpbusd, vdpbf16ps, sdot, usdot,
    bfdot, vpmaddubsw, or products of wider elements).

    Constraints:
    * (C1) the element types of lhs, rhs and acc are i8, i8 and i32, and lhs has 4 times as many elements as acc; or
      they are bf16, bf16 and f32, or i16, i8 and i32, or i8, i8 and i16, and lhs has twice as many elements as acc. rhs
      has as many elements as lhs.
    * (C2) `unsigned` requires an lhs of i8.

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
    FixedVectorOfRankAndType<[1], [I16, I32, F32]>:$acc, UnitAttr:$is_unsigned);
  let results = (outs FixedVectorOfRankAndType<[1], [I16, I32, F32]>:$result);
  let assemblyFormat = "$lhs `,` $rhs `,` $acc (`unsigned` $is_unsigned^)? attr-dict `:` type($lhs) `,` type($acc)";
  let extraClassDeclaration = [{
    /// Returns the type of `rhs` for a type of `lhs`: with i8 elements if `lhs` has i16 elements, otherwise the same
    /// type.
    static ::mlir::Type typeOfRhs(::mlir::Type lhs);
  }];
}

#endif // HEDDLE_OPS_DOT_TD
