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
  let summary = "floats, or i32, converted to a float type, round to nearest even";
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
    With `depth`, rows that are multiplied at a time lie side by side: [.., ceil(K / depth), panel, depth], zeros after
    row K.
  }];
  let parameters = (ins "int64_t":$panel, DefaultValuedParameter<"int64_t", "1">:$abreast,
                    DefaultValuedParameter<"int64_t", "1">:$depth);
  let assemblyFormat = "`<` $panel (`x` $abreast^)? (`,` `depth` $depth^)? `>`";
  let extraClassDeclaration = [{
    /// That of a matrix in these panels.
    ::llvm::SmallVector<int64_t> packedShape(int64_t rows, int64_t columns) const;
  }];
}


// Steps of stored formats. What they make of a shape is in ops/StoredSteps.cpp, of bytes in
// compiler/weights/StoredSteps.cpp.
class Heddle_StoredStep<string name, string keyword> : Heddle_Step<name, keyword> {
  code declaration = [{
    /// Makes of a tensor's shape and elements those of the result; what does not fit, empty if all does.
    ::std::string applyTo(::llvm::SmallVectorImpl<int64_t> &shape, ::mlir::Type &element) const;
  }];
  let extraClassDeclaration = declaration;
}
class Heddle_QuantizationStep<string name, string keyword> : Heddle_StoredStep<name, keyword> {
  let parameters = (ins "int64_t":$bits, ArrayRefParameter<"int64_t">:$block,
                    OptionalArrayRefParameter<"int64_t">:$exact);
  let assemblyFormat = "`<` $bits `,` `[` $block `]` (`,` `exact` `[` $exact^ `]`)? `>`";
}
def Heddle_QuantizeStep : Heddle_QuantizationStep<"QuantizeStep", "quantize"> {
  let summary = "floats as i8: rint(x / scale), where scale is that of the element's block";
  let description = [{
    Numbers from -(2^(bits - 1) - 1) to 2^(bits - 1) - 1, computed in f32; zeros in the rows of `exact`. A block that has
    a NaN or an infinity has zeros, too: its scale is NaN.
  }];
}
def Heddle_ScalesStep : Heddle_QuantizationStep<"ScalesStep", "scales"> {
  let summary = "the scale of each block, f32: max(|x|, 2^-100) / (2^(bits - 1) - 1), without the rows of `exact`";
}
def Heddle_TakeStep : Heddle_StoredStep<"TakeStep", "take"> {
  let summary = "row i is row rows[i]";
  let parameters = (ins ArrayRefParameter<"int64_t">:$rows);
  let assemblyFormat = "`<` `[` $rows `]` `>`";
}
def Heddle_NumbersStep : Heddle_StoredStep<"NumbersStep", "numbers"> {
  let summary = "these numbers, i32, whatever the tensor has: data that belongs to a weight";
  let parameters = (ins ArrayRefParameter<"int64_t">:$numbers);
  let assemblyFormat = "`<` `[` $numbers `]` `>`";
}
def Heddle_KeptBitsStep : Heddle_StoredStep<"KeptBitsStep", "kept_bits"> {
  let summary = "before numbers of i32, `count` words: of each word whose number is there no bits, of others all";
  let parameters = (ins "int64_t":$count);
  let assemblyFormat = "`<` $count `>`";
}
def Heddle_BlockSumsStep : Heddle_StoredStep<"BlockSumsStep", "block_sums"> {
  let summary = "of a matrix of i8, the sums of each column over blocks of so many rows, i32";
  let parameters = (ins "int64_t":$block);
  let assemblyFormat = "`<` $block `>`";
}
def Heddle_BytesStep : Heddle_StoredStep<"BytesStep", "bytes"> {
  let summary = "the bytes of each element, i8, the lowest first, along one more dimension";
}
def Heddle_NibblesStep : Heddle_StoredStep<"NibblesStep", "nibbles"> {
  let summary = "the halves of each byte, 0 to 15 as i8, the lower first: the last dimension is twice as long";
}
def Heddle_AddStep : Heddle_StoredStep<"AddStep", "add"> {
  let summary = "i8 or words of 32 bits plus a number, which wraps: with -128, an unsigned byte less 128 as a signed one";
  let parameters = (ins "int64_t":$number);
  let assemblyFormat = "`<` $number `>`";
}

def Heddle_WeightOp : Heddle_Op<"weight"> {
  let summary = "a named tensor of the weight store, through a recipe";
  let description = [{
    The bytes stay in the store, a memory-mapped file; the program only names them. The
    recipe's steps are applied in order when the object is written, and the same recipe
    twice is stored once: transposing, reshaping, slicing, converting or concatenating a
    weight folds into its recipe.

    Constraints:
    * (C1) every element of the recipe is a step: transpose, reshape, slice, cast, concat, pack,
      quantize, scales, take, numbers, kept_bits, block_sums, bytes, nibbles or add, each well formed for the shape it finds, as far as that is known.
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
