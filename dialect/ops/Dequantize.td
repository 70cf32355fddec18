//===- Dequantize.td - numbers that are stored in fewer bits --------------===//

#ifndef HEDDLE_OPS_DEQUANTIZE_TD
#define HEDDLE_OPS_DEQUANTIZE_TD

include "HeddleBase.td"

def Heddle_StoredIntegerTensor : RankedTensorOf<[I8]>;

def Heddle_DequantizeOp : Heddle_Op<"dequantize", [AttrSizedOperandSegments]> {
  let summary = "the numbers that stored ones stand for";
  let description = [{
    (input - zero_points) * scales + minima: floats of f16 or bf16 stand for themselves and have none of these; integers
    have scales, and may have zero points or minima. These belong to blocks of the input: along dimension i, block[i]
    elements share one. Rows of the input that are in `exact_rows`, or whose numbers `exact_numbers` has, stand for those
    of `exact`.

    What computes in f32 reads a stored tensor through it; nothing is computed here and the wider tensor is nowhere in
    memory: each kernel gets what is stored and converts what it loads, or computes with the integers. Views and recipes
    of weights go to the stored side. The formats of files are written with it: int8 a column, a row, in blocks.

    Constraints:
    * (C1) the result has the shape of the input. Without scales the input's elements are floats narrower than the
      result's, and there are no other operands; with scales they are integers.
    * (C2) with scales, block has a number of at least 1 for each dimension; scales, zero points and minima have
      ceil(size / block) elements along it.
    * (C3) exact has the input's shape but for its first dimension, with a row for each of `exact_rows`, which ascend
      and lie within the input's, and the result's elements. With exact_numbers there are no exact_rows; there are as many
      numbers as exact has rows.

    Example:
    ```mlir
    func.func @example(%w: tensor<384x1536xbf16>, %q: tensor<384x1536xi8>, %s: tensor<12x1536xf32>) {
      %0 = heddle.dequantize %w : tensor<384x1536xbf16> -> tensor<384x1536xf32>
      %1 = heddle.dequantize %q scales(%s : tensor<12x1536xf32>) block [32, 1]
         : tensor<384x1536xi8> -> tensor<384x1536xf32>
      return
    }
    ```
  }];
  let arguments = (ins
    Heddle_StoredTensor:$input, Optional<Heddle_FloatTensor>:$scales, Optional<Heddle_StoredIntegerTensor>:$zero_points,
    Optional<Heddle_FloatTensor>:$minima, Optional<Heddle_FloatTensor>:$exact,
    Optional<Heddle_NumbersTensor>:$exact_numbers,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$block, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$exact_rows);
  let results = (outs Heddle_FloatTensor:$result);
  let assemblyFormat = [{
    $input oilist(`scales` `(` $scales `:` type($scales) `)` | `zero_points` `(` $zero_points `:` type($zero_points) `)`
      | `minima` `(` $minima `:` type($minima) `)` | `exact` `(` $exact `:` type($exact) `)`
      | `block` $block | `exact_rows` $exact_rows
      | `exact_numbers` `(` $exact_numbers `:` type($exact_numbers) `)`)
    attr-dict `:` type($input) `->` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$type, "::mlir::Value":$narrow), [{
    build($_builder, $_state, type, narrow, {}, {}, {}, {}, ::llvm::ArrayRef<int64_t>(), ::llvm::ArrayRef<int64_t>());
  }]>, OpBuilder<(ins "::mlir::Type":$type, "::mlir::Value":$input, "::mlir::Value":$scales,
                      "::mlir::Value":$zero_points, "::mlir::Value":$minima, "::mlir::Value":$exact,
                      "::llvm::ArrayRef<int64_t>":$block, "::llvm::ArrayRef<int64_t>":$exact_rows), [{
    build($_builder, $_state, type, input, scales, zero_points, minima, exact, /*exact_numbers=*/{}, block, exact_rows);
  }]>];
  let extraClassDeclaration = [{
    /// Whether the input's numbers are the result's, in fewer bits.
    bool isPlain() { return !getScales(); }
  }];
}

#endif // HEDDLE_OPS_DEQUANTIZE_TD
