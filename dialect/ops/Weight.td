//===- Weight.td - a tensor of the weight store ---------------------------===//

#ifndef HEDDLE_OPS_WEIGHT_TD
#define HEDDLE_OPS_WEIGHT_TD

include "HeddleBase.td"
include "formats/Format.td"

// A recipe is a list of steps that are applied in order to a stored tensor when the object file is written. This file
// defines all kinds of steps.
class Heddle_Step<string name, string keyword> : AttrDef<Heddle_Dialect, name> {
  let mnemonic = keyword;
}
def Heddle_TransposeStep : Heddle_Step<"TransposeStep", "transpose"> {
  let summary = "transposes: result dimension i is operand dimension permutation[i]";
  let parameters = (ins ArrayRefParameter<"int64_t">:$permutation);
  let assemblyFormat = "`<` `[` $permutation `]` `>`";
}
def Heddle_ReshapeStep : Heddle_Step<"ReshapeStep", "reshape"> {
  let summary = "changes the shape, keeping the elements in row-major order";
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape);
  let assemblyFormat = "`<` `[` $shape `]` `>`";
}
def Heddle_SliceStep : Heddle_Step<"SliceStep", "slice"> {
  let summary = "extracts a contiguous block (unit strides)";
  let parameters = (ins ArrayRefParameter<"int64_t">:$offsets, ArrayRefParameter<"int64_t">:$sizes);
  let assemblyFormat = "`<` `[` $offsets `]` `,` `[` $sizes `]` `>`";
}
def Heddle_CastStep : Heddle_Step<"CastStep", "cast"> {
  let summary = "converts floats, or i32, to a float type, rounding to nearest even";
  let parameters = (ins "::mlir::Type":$type);
  let assemblyFormat = "`<` $type `>`";
}
def Heddle_ConcatStep : Heddle_Step<"ConcatStep", "concat"> {
  let summary = "appends other stored tensors along `axis`, each with its own recipe";
  let description = "`parts` contains a pair [name, recipe] for each appended tensor.";
  let parameters = (ins "int64_t":$axis, "::mlir::ArrayAttr":$parts);
  let assemblyFormat = "`<` $axis `,` $parts `>`";
}
def Heddle_PackStep : Heddle_Step<"PackStep", "pack"> {
  let summary = "packs [K, N] into panels [ceil(N / panel), K, panel], padded with zeros";
  let description = [{
    If `interleaved` is more than 1, the result is [interleaved, P, K, panel] with P = ceil(N / panel / interleaved):
    panel q, counted in the order of columns, is at [q mod interleaved, q div interleaved]. A tile that reads
    `interleaved` neighbouring panels then reads one panel of each part [P, K, panel], and the next tile continues in
    each part where this tile ended.
    If `depth` is more than 1, the result is [.., ceil(K / depth), panel, depth], padded with zeros:
    `depth` successive elements of a column are neighbours, so heddle.dot can multiply them by `depth` elements of
    the other operand and add the products.
  }];
  let parameters = (ins "int64_t":$panel, DefaultValuedParameter<"int64_t", "1">:$interleaved,
                    DefaultValuedParameter<"int64_t", "1">:$depth);
  let assemblyFormat = "`<` $panel (`x` $interleaved^)? (`,` `depth` $depth^)? `>`";
  let extraClassDeclaration = [{
    /// Returns the shape of a packed matrix with these numbers of rows and columns.
    ::llvm::SmallVector<int64_t> packedShape(int64_t rows, int64_t columns) const;
  }];
}

// Steps for quantized formats. ops/StoredSteps.cpp computes the shapes of their results,
// compiler/weights/StoredSteps.cpp the bytes of their results.
class Heddle_StoredStep<string name, string keyword> : Heddle_Step<name, keyword> {
  code declaration = [{
    /// Replaces the shape and element type of a tensor by those of the step's result. Returns an error message if the
    /// step cannot be applied to such a tensor, otherwise an empty string.
    ::std::string applyTo(::llvm::SmallVectorImpl<int64_t> &shape, ::mlir::Type &element) const;
  }];
  let extraClassDeclaration = declaration;
}
class Heddle_QuantizationStep<string name, string keyword> : Heddle_StoredStep<name, keyword> {
  let parameters = (ins "int64_t":$bits, ArrayRefParameter<"int64_t">:$block,
                    OptionalArrayRefParameter<"int64_t">:$outliers);
  let assemblyFormat = "`<` $bits `,` `[` $block `]` (`,` `outliers` `[` $outliers^ `]`)? `>`";
}
def Heddle_QuantizeStep : Heddle_QuantizationStep<"QuantizeStep", "quantize"> {
  let summary = "quantizes floats to i8: rint(x / scale), with the scale of the element's block";
  let description = [{
    The integers lie between -(2^(bits - 1) - 1) and 2^(bits - 1) - 1 and are computed in f32. The rows that `outliers`
    lists become zeros: they are the rows by which the outlier channels of a layer's input are multiplied, and are
    stored unquantized in another tensor (operand `outliers` of heddle.dequantize). A block with a NaN or an infinity
    becomes zeros, too; its scale is NaN.
  }];
}
def Heddle_ScalesStep : Heddle_QuantizationStep<"ScalesStep", "scales"> {
  let summary = "computes the f32 scale of each block: max(largest |x|, 2^-100) / (2^(bits - 1) - 1)";
  let description = "The rows that `outliers` lists do not contribute to the largest |x|.";
}
def Heddle_TakeStep : Heddle_StoredStep<"TakeStep", "take"> {
  let summary = "gathers rows: row i of the result is row rows[i] of the operand";
  let parameters = (ins ArrayRefParameter<"int64_t">:$rows);
  let assemblyFormat = "`<` `[` $rows `]` `>`";
}
def Heddle_NumbersStep : Heddle_StoredStep<"NumbersStep", "numbers"> {
  let summary = "yields the i32 constants `numbers` instead of the stored tensor, such as the indices of the outlier "
                "channels that belong to a weight";
  let parameters = (ins ArrayRefParameter<"int64_t">:$numbers);
  let assemblyFormat = "`<` `[` $numbers `]` `>`";
}
def Heddle_KeptBitsStep : Heddle_StoredStep<"KeptBitsStep", "kept_bits"> {
  let summary = "prepends `count` mask words to i32 numbers: word i is 0 if i is among the numbers, otherwise -1";
  let parameters = (ins "int64_t":$count);
  let assemblyFormat = "`<` $count `>`";
}
def Heddle_BlockSumsStep : Heddle_StoredStep<"BlockSumsStep", "block_sums"> {
  let summary = "sums each column of an i8 matrix over blocks of `block` rows, to i32";
  let parameters = (ins "int64_t":$block);
  let assemblyFormat = "`<` $block `>`";
}
def Heddle_BytesStep : Heddle_StoredStep<"BytesStep", "bytes"> {
  let summary = "splits each element into its bytes, i8, lowest first, along a new last dimension";
}
def Heddle_NibblesStep : Heddle_StoredStep<"NibblesStep", "nibbles"> {
  let summary = "splits each byte into its halves, 0 to 15 as i8, lower half first, doubling the last dimension";
}
def Heddle_JoinNibblesStep : Heddle_StoredStep<"JoinNibblesStep", "join_nibbles"> {
  let summary = "stores two rows of a packed matrix in one row of bytes, as #heddle.dot_nibbles reads them";
  let description = [{
    The operand is [.., K, panel, depth] of i8. Each group of `rows` rows along K becomes rows / 2 rows: row i of the
    group provides the lower 4 bits of the bytes, and row i + rows / 2 the upper 4 bits. The bits are the index in
    `values` of the first number that equals the element. Other elements are refused, except 0, with which panels are
    padded: its bits are 0 if it is not among the values. There are 1 to 16 values from -128 to 127.
  }];
  let parameters = (ins "int64_t":$rows, ArrayRefParameter<"int64_t">:$values);
  let assemblyFormat = "`<` $rows `,` `[` $values `]` `>`";
}
def Heddle_AddStep : Heddle_StoredStep<"AddStep", "add"> {
  let summary = "adds a number to i8 or 32-bit integers, wrapping around: adding -128 makes an unsigned byte signed";
  let parameters = (ins "int64_t":$number);
  let assemblyFormat = "`<` $number `>`";
}
def Heddle_FormatPart : Heddle_Enum<"FormatPart", "a part of what blocks of a format contain", [
  I32EnumAttrCase<"Codes", 0, "codes">, I32EnumAttrCase<"Scales", 1, "scales">, I32EnumAttrCase<"Offsets", 2, "offsets">
]>;
def Heddle_UnpackStep : Heddle_StoredStep<"UnpackStep", "unpack"> {
  let summary = "reads rows of blocks of a format: the codes of their elements as i8, or the scales or offsets of their "
                "groups as f32";
  let parameters = (ins "::heddle::Format":$format, "::heddle::FormatPart":$part);
  let assemblyFormat = "`<` $format `,` $part `>`";
}

def Heddle_WeightOp : Heddle_Op<"weight"> {
  let summary = "a named tensor of the weight store, transformed by a recipe";
  let description = [{
    The tensor's bytes stay in the weight store, usually a memory-mapped file; the operation only names the tensor. The
    recipe's steps are applied in order when the object file is written, and weights with equal names and recipes are
    stored once. A transposition, reshape, slice, conversion or concatenation of weights is folded into a recipe.

    Constraints:
    * (C1) every element of the recipe is a step: transpose, reshape, slice, cast, concat, pack, quantize, scales, take,
      numbers, kept_bits, block_sums, bytes, nibbles, join_nibbles, add or unpack. Each step is valid for the tensor to
      which it is applied, as far as the shape and element type of this tensor are known.
    * (C2) the result has the shape and element type that the recipe produces.

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
