//===- RotaryEmbedding.td - rotary position embedding ---------------------===//

#ifndef HEDDLE_OPS_ROTARY_EMBEDDING_TD
#define HEDDLE_OPS_ROTARY_EMBEDDING_TD

include "HeddleBase.td"

def Heddle_RotaryEmbeddingOp : Heddle_LayerOp<"rotary_embedding",
    ["getResultRows", "getOperandRows", "staysValid", "getOtherOperations"],
    [DeclareOpInterfaceMethods<AggregatedOpInterface, ["decomposeOperation"]>]> {
  let summary = "rotates pairs of a head's elements by an angle that depends on the position";
  let description = [{
    input is [B,H,S,D], or [B,S,H,D] with layout(bshd); cosine and sine are [B,S,R/2] or [S,R/2]. The first R elements
    of a head form pairs: pair p is (x, y) = elements (p, p + R/2), or elements (2p, 2p + 1) with `interleaved`. The
    pair becomes (x c - y s, x s + y c), where c and s are element p of the cosine and the sine at the pair's position
    (Su et al. 2021). The elements from R on are copied.

    Constraints:
    * (C1) input and the result have rank 4 and the same type; cosine and sine have the element type of input.
    * (C2) cosine has rank 2 or 3, sine the shape of cosine.
    * (C3) cosine's leading dimensions are [B,S] or [S].
    * (C4) cosine's last dimension R/2 is at most D/2.

    Example:
    ```mlir
    %0 = heddle.rotary_embedding %x, %cos, %sin layout(bshd)
       : (tensor<1x16x12x64xf32>, tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<1x16x12x64xf32>
    ```
  }];
  let arguments = (ins Heddle_FloatTensor:$input, Heddle_FloatTensor:$cosine,
    Heddle_FloatTensor:$sine, UnitAttr:$interleaved,
    DefaultValuedAttr<Heddle_LayoutAttr, "::heddle::Layout::Bhsd">:$layout);
  let results = (outs Heddle_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $cosine `,` $sine oilist(`interleaved` $interleaved
      | `layout` `(` custom<Word>($layout) `)`)
    attr-dict `:` functional-type(operands, results)
  }];
}

#endif // HEDDLE_OPS_ROTARY_EMBEDDING_TD
