//===- Pair.td - pairs of bf16 and their products -------------------------===//

#ifndef HEDDLE_OPS_PAIR_TD
#define HEDDLE_OPS_PAIR_TD

include "HeddleBase.td"

def Heddle_F32OrLanes : AnyTypeOf<[F32, VectorOfAnyRankOf<[F32]>], "f32 or a vector of f32">;
def Heddle_WordOrLanes : AnyTypeOf<[I32, VectorOfAnyRankOf<[I32]>], "i32 or a vector of i32">;

def Heddle_PairOp : Op<Heddle_Dialect, "pair",
    !listconcat([Pure, AllTypesMatch<["low", "high"]>], ElementwiseMappable.traits)> {
  let summary = "two numbers as bf16, packed into one 32-bit word";
  let description = [{
    Packs the bf16 nearest to `low` into the lower half of an i32, and the bf16 nearest to `high` into the upper half.
    The result is an operand of heddle.pair_dot. Denormal numbers may become zero.

    Lowerings create this operation, since code can move, transpose and broadcast a tile of 32-bit pairs like a tile of
    f32. The terms of a contraction may be paired in any way, so lowerings pair terms whose vectors need no shuffle.

    Example:
    ```mlir
    func.func @example(%a: vector<16xf32>, %b: vector<16xf32>) {
      %0 = heddle.pair %a, %b : vector<16xf32> to vector<16xi32>
      return
    }
    ```
  }];
  let arguments = (ins Heddle_F32OrLanes:$low, Heddle_F32OrLanes:$high);
  let results = (outs Heddle_WordOrLanes:$result);
  let assemblyFormat = "$low `,` $high attr-dict `:` type($low) `to` type($result)";
  let extraClassDeclaration = [{
    /// Rounds `x`, an f32 or a vector of f32, to the nearest bf16 and returns it as f32, whose bits equal those of
    /// heddle.pair(0, x). Unlike a conversion to bf16 and back, this also rounds when the interpreter computes in f64.
    static ::mlir::Value roundToBF16(::mlir::OpBuilder &builder, ::mlir::Location loc, ::mlir::Value x);
  }];
}

def Heddle_PairDotOp : Op<Heddle_Dialect, "pair_dot",
    !listconcat([Pure, AllTypesMatch<["lhs", "rhs"]>, AllTypesMatch<["acc", "result"]>], ElementwiseMappable.traits)> {
  let summary = "sum of the products of two pairs of bf16";
  let description = [{
    The result is acc + low(lhs) x low(rhs) + high(lhs) x high(rhs), where low and high are the two bf16 in a word.
    The result equals that of `heddle.dot` for the same bits. How it is rounded is unspecified.

    Example:
    ```mlir
    func.func @example(%a: vector<16xi32>, %b: vector<16xi32>, %sums: vector<16xf32>) {
      %0 = heddle.pair_dot %a, %b, %sums : vector<16xi32>, vector<16xf32>
      return
    }
    ```
  }];
  let arguments = (ins Heddle_WordOrLanes:$lhs, Heddle_WordOrLanes:$rhs, Heddle_F32OrLanes:$acc);
  let results = (outs Heddle_F32OrLanes:$result);
  let assemblyFormat = "$lhs `,` $rhs `,` $acc attr-dict `:` type($lhs) `,` type($acc)";
}

#endif // HEDDLE_OPS_PAIR_TD
