//===- RotaryEmbedding.td - positions as rotations ------------------------===//

#ifndef HEDDLE_OPS_ROTARY_EMBEDDING_TD
#define HEDDLE_OPS_ROTARY_EMBEDDING_TD

include "HeddleBase.td"

def Heddle_RotaryEmbeddingOp : Heddle_Op<"rotary_embedding", [AllTypesMatch<["input", "result"]>]> {
  let summary = "rotates pairs of a head's elements by an angle that depends on the position";
  let description = [{
    input [B,H,S,D] (or [B,S,H,D], as `layout` says), cosine and sine [B,S,R/2] or [S,R/2]
    with R <= D even; elements from R on are copied. Pairs are (i, i + R/2), or
    (2i, 2i + 1) with `interleaved` (Su et al. 2021).
  }];
  let arguments = (ins Heddle_FloatTensor:$input, Heddle_FloatTensor:$cosine,
    Heddle_FloatTensor:$sine, UnitAttr:$interleaved,
    DefaultValuedAttr<Heddle_LayoutAttr, "::heddle::Layout::Bhsd">:$layout);
  let results = (outs Heddle_FloatTensor:$result);
  let assemblyFormat = "$input `,` $cosine `,` $sine attr-dict `:` functional-type(operands, results)";
}

#endif // HEDDLE_OPS_ROTARY_EMBEDDING_TD
