//===- Pair.td - two bf16 in a word, and their products -------------------===//

#ifndef HEDDLE_OPS_PAIR_TD
#define HEDDLE_OPS_PAIR_TD

include "HeddleBase.td"

def Heddle_F32OrLanes : AnyTypeOf<[F32, VectorOfAnyRankOf<[F32]>], "f32 or a vector of it">;
def Heddle_WordOrLanes : AnyTypeOf<[I32, VectorOfAnyRankOf<[I32]>], "i32 or a vector of it">;

def Heddle_PairOp : Op<Heddle_Dialect, "pair",
    !listconcat([Pure, AllTypesMatch<["low", "high"]>], ElementwiseMappable.traits)> {
  let summary = "two numbers as bf16, side by side in a word";
  let description = [{
    The nearest bf16 of `low` in the lower half of an i32, that of `high` in the upper one, for heddle.pair_dot. Where a
    number is below the least normal one, zero may stand for it.

    Made by lowerings: a tile of pairs is one of words, which are moved, turned and repeated as f32 are. Which two numbers
    of a contraction are a pair is all the same for their sum: a lowering takes those whose vectors need no shuffle.

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
    /// `x`, f32 or a vector of it, as the nearest bf16, in f32: a pair of zero and that is the same bits. Unlike a
    /// conversion there and back, the interpreter rounds it in f64 as well.
    static ::mlir::Value roundToBF16(::mlir::OpBuilder &builder, ::mlir::Location loc, ::mlir::Value x);
  }];
}

def Heddle_PairDotOp : Op<Heddle_Dialect, "pair_dot",
    !listconcat([Pure, AllTypesMatch<["lhs", "rhs"]>, AllTypesMatch<["acc", "result"]>], ElementwiseMappable.traits)> {
  let summary = "the products of two pairs of bf16, added up";
  let description = [{
    acc + low(lhs) x low(rhs) + high(lhs) x high(rhs), of words that hold two bf16 each: `heddle.dot` of the same bits, which
    says what is left open.

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
