//===- Exp.td - exponentials for softmax ----------------------------------===//

#ifndef HEDDLE_OPS_EXP_TD
#define HEDDLE_OPS_EXP_TD

include "HeddleBase.td"

def Heddle_F32OrVector : AnyTypeOf<[F32, VectorOfAnyRankOf<[F32]>], "f32 or a vector of f32">;

class Heddle_ExpOp<string mnemonic> : Op<Heddle_Dialect, mnemonic,
    !listconcat([SameOperandsAndResultType, Pure], ElementwiseMappable.traits)> {
  let arguments = (ins Heddle_F32OrVector:$operand);
  let results = (outs Heddle_F32OrVector:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

def Heddle_ExpNonPositiveOp : Heddle_ExpOp<"exp_nonpositive"> {
  let summary = "exp(x) for operands that are at most 0, or NaN";
  let description = [{
    This is the exponential of a softmax. Its operand is a score minus the largest score, so it cannot overflow.
    For a positive operand the result is undefined; the interpreter returns NaN, so tests detect such an operand.

    Lowerings create this operation, and the pass heddle-expand-math replaces it by an approximation that is valid only
    for operands of at most 0. It is an operation of its own, not math.exp with an attribute, so no other
    exponential is replaced in this way.

    Example:
    ```mlir
    %0 = heddle.exp_nonpositive %x : vector<16xf32>
    ```
  }];
}

def Heddle_Exp2NonPositiveOp : Heddle_ExpOp<"exp2_nonpositive"> {
  let summary = "2^x for operands that are at most 0, or NaN";
  let description = [{
    This is `heddle.exp_nonpositive` with base 2.

    Example:
    ```mlir
    %0 = heddle.exp2_nonpositive %x : vector<16xf32>
    ```
  }];
}

#endif // HEDDLE_OPS_EXP_TD
