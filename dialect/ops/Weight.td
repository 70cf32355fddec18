//===- Weight.td - a tensor of the weight store ---------------------------===//

#ifndef HEDDLE_OPS_WEIGHT_TD
#define HEDDLE_OPS_WEIGHT_TD

include "HeddleBase.td"

// A recipe is a list of steps, applied in order to the stored tensor when the
// object is written. The list of steps is closed.
class Heddle_Step<string name, string keyword> : AttrDef<Heddle_Dialect, name> {
  let mnemonic = keyword;
}
def Heddle_TransposeStep : Heddle_Step<"TransposeStep", "transpose"> {
  let summary = "result dimension i is operand dimension permutation[i]";
  let parameters = (ins ArrayRefParameter<"int64_t">:$permutation);
  let assemblyFormat = "`<` `[` $permutation `]` `>`";
}
def Heddle_ReshapeStep : Heddle_Step<"ReshapeStep", "reshape"> {
  let summary = "the same elements in row-major order with another shape";
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape);
  let assemblyFormat = "`<` `[` $shape `]` `>`";
}
def Heddle_SliceStep : Heddle_Step<"SliceStep", "slice"> {
  let summary = "a contiguous block, unit strides";
  let parameters = (ins ArrayRefParameter<"int64_t">:$offsets, ArrayRefParameter<"int64_t">:$sizes);
  let assemblyFormat = "`<` `[` $offsets `]` `,` `[` $sizes `]` `>`";
}
def Heddle_CastStep : Heddle_Step<"CastStep", "cast"> {
  let summary = "elements converted to another float type, round to nearest even";
  let parameters = (ins "::mlir::Type":$type);
  let assemblyFormat = "`<` $type `>`";
}
def Heddle_ConcatStep : Heddle_Step<"ConcatStep", "concat"> {
  let summary = "followed along `axis` by other stored tensors, each with a recipe of its own";
  let description = "`parts` holds pairs [name, recipe].";
  let parameters = (ins "int64_t":$axis, "::mlir::ArrayAttr":$parts);
  let assemblyFormat = "`<` $axis `,` $parts `>`";
}
def Heddle_PackStep : Heddle_Step<"PackStep", "pack"> {
  let summary = "[K, N] as panels [ceil(N / panel), K, panel], zeros after column N";
  let description = [{
    With `abreast` above 1, which a tile takes at a time, [abreast, P, K, panel] with P = ceil(N / panel / abreast):
    panel q of the columns is [q mod abreast, q div abreast], so that a tile after the other goes on in memory along each.
  }];
  let parameters = (ins "int64_t":$panel, DefaultValuedParameter<"int64_t", "1">:$abreast);
  let assemblyFormat = "`<` $panel (`x` $abreast^)? `>`";
  let extraClassDeclaration = [{
    /// That of a matrix in these panels.
    ::llvm::SmallVector<int64_t> packedShape(int64_t rows, int64_t columns) const;
  }];
}

def Heddle_WeightOp : Heddle_Op<"weight"> {
  let summary = "a named tensor of the weight store, through a recipe";
  let description = [{
    The bytes stay in the store, a memory-mapped file; the program only names them. The
    recipe's steps are applied in order when the object is written, and the same recipe
    twice is stored once: transposing, reshaping, slicing, converting or concatenating a
    weight folds into its recipe.

    Constraints:
    * (C1) every element of the recipe is a step: transpose, reshape, slice, cast, concat
      or pack, each well formed for the shape it finds, as far as that is known.
    * (C2) the result has the shape and element type that the last steps give.

    Example:
    ```mlir
    %0 = heddle.weight "encoder.dense.weight" via [#heddle.transpose<[1, 0]>] : tensor<384x1536xf32>
    ```
  }];
  let arguments = (ins StrAttr:$name, DefaultValuedAttr<ArrayAttr, "{}">:$recipe);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$name (`via` $recipe^)? attr-dict `:` type($result)";
  let hasCanonicalizer = 1;
}

#endif // HEDDLE_OPS_WEIGHT_TD
