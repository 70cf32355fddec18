//===- Exp.td - exponentials as a softmax needs them ----------------------===//

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
  let summary = "exp(x) of what is at most 0, or NaN";
  let description = [{
    As a softmax takes it, of x less the largest x: nothing overflows. Of a positive operand the result may be
    anything; the interpreter makes it NaN, so that it shows.

    Made by lowerings, for heddle-expand-math. That the operand is not positive is the operation's meaning, and no
    attribute of math.exp: nothing else than such an operation becomes what is right for such operands only.

    Example:
    ```mlir
    %0 = heddle.exp_nonpositive %x : vector<16xf32>
    ```
  }];
}

def Heddle_Exp2NonPositiveOp : Heddle_ExpOp<"exp2_nonpositive"> {
  let summary = "2^x of what is at most 0, or NaN";
  let description = [{
    `heddle.exp_nonpositive` in units of log(2).

    Example:
    ```mlir
    %0 = heddle.exp2_nonpositive %x : vector<16xf32>
    ```
  }];
}

#endif // HEDDLE_OPS_EXP_TD
