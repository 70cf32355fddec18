//===- Exp.td - exponentials for softmax ----------------------------------===//

#ifndef HEDDLE_OPS_EXP_TD
#define HEDDLE_OPS_EXP_TD

include "HeddleBase.td"

def Heddle_F32OrVector : AnyTypeOf<[F32, VectorOfAnyRankOf<[F32]>], "f32 or a vector of it">;

class Heddle_ExpOp<string mnemonic> : Op<Heddle_Dialect, mnemonic,
    !listconcat([SameOperandsAndResultType, Pure], ElementwiseMappable.traits)> {
  let arguments = (ins Heddle_F32OrVector:$operand);
  let results = (outs Heddle_F32OrVector:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

def Heddle_ExpNonPositiveOp : Heddle_ExpOp<"exp_nonpositive"> {
  let summary = "exp(x) for operands that are at most 0, or NaN";
  let description = [{
    The exponential in a softmax, whose operand is x minus the largest x, so that nothing overflows. For a positive
    operand the result is undefined; the interpreter returns NaN, so that errors show.

    Created by lowerings, for heddle-expand-math. The restriction is part of the operation's meaning, not an
    attribute of math.exp, so that only these operations get code that is correct for such operands only.

    Example:
    ```mlir
    %0 = heddle.exp_nonpositive %x : vector<16xf32>
    ```
  }];
}

def Heddle_Exp2NonPositiveOp : Heddle_ExpOp<"exp2_nonpositive"> {
  let summary = "2^x for operands that are at most 0, or NaN";
  let description = [{
    The base-2 form of `heddle.exp_nonpositive`.

    Example:
    ```mlir
    %0 = heddle.exp2_nonpositive %x : vector<16xf32>
    ```
  }];
}

#endif // HEDDLE_OPS_EXP_TD
