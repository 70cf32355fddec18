//===- Dequantize.td - stored elements to floats --------------------------===//

#ifndef HEDDLE_OPS_DEQUANTIZE_TD
#define HEDDLE_OPS_DEQUANTIZE_TD

include "HeddleBase.td"
include "formats/Formats.td"

def Heddle_StoredIntegerTensor : RankedTensorOf<[I8]>;

def Heddle_DequantizeOp : Heddle_Op<"dequantize", [AttrSizedOperandSegments]> {
  let summary = "converts stored integers or narrower floats to floats";
  let description = [{
    The result is (input - zero_points) * scales + minima. An input of floats is only widened and has none of these
    operands. An input of integers has scales, and may have zero points or minima. Scales, zero points and minima have
    one element for each block of the input; a block has block[i] elements along dimension i. The rows of the result
    that `outlier_rows` or `outlier_indices` list are the rows of `outliers` instead. (If the result is the weight of a
    linear layer, these rows belong to the outlier channels of the layer's input.)

    If there is a `format`, the input consists of bytes instead, for example those of a tensor in a file, and the format
    defines their meaning. A row of the input consists of blocks of bytes, which represent the elements of a row of the
    result; with `transposed`, they represent the elements of a column. Pass heddle-unpack-formats replaces such an
    operation on a weight by an operation with scales.

    An operation that computes in f32 reads a stored tensor through this operation. No code is generated for
    heddle.dequantize alone, and its result is never in memory: each kernel reads the stored tensor and converts the
    elements that it loads, or computes with the integers. Views of the result become views of the operands. If the
    operands are weights, the views become steps of the weights' recipes, which are applied when a library is written.
    The operands can express int8 weights with one scale for each column, row or block, which are the forms in
    quantized model files.

    Constraints:
    * (C1) the result has the shape of the input. Without scales, the input has elements of a narrower float type than
      the result, and there are no other operands. With scales, the elements of the input are integers.
    * (C2) with scales, block has a number of at least 1 for each dimension; scales, zero points and minima have
      ceil(size / block) elements along each dimension.
    * (C3) `outlier_rows` and `outlier_indices` require outliers, and at most one of the two is present. outliers has
      the result's element type and the input's shape, of rank 1 or more, except for the first dimension, which has one
      row for each of outlier_rows or outlier_indices. The elements of outlier_rows ascend and lie within the rows of
      the input.
    * (C4) with a format, the input is the only operand, its elements are bytes, and its rows consist of whole blocks.
      The result has the shape of the elements that the blocks represent. `transposed` requires a format and a matrix.

    Example:
    ```mlir
    func.func @example(%w: tensor<384x1536xbf16>, %q: tensor<384x1536xi8>, %s: tensor<12x1536xf32>) {
      %0 = heddle.dequantize %w : tensor<384x1536xbf16> -> tensor<384x1536xf32>
      %1 = heddle.dequantize %q scales(%s : tensor<12x1536xf32>) block [32, 1]
         : tensor<384x1536xi8> -> tensor<384x1536xf32>
      return
    }
    func.func @formats(%bytes: tensor<1536x216xi8>) {
      %0 = heddle.dequantize %bytes format(#heddle.q4_0) transposed : tensor<1536x216xi8> -> tensor<384x1536xf32>
      return
    }
    ```
  }];
  let arguments = (ins
    Heddle_StoredTensor:$input, Optional<Heddle_FloatTensor>:$scales, Optional<Heddle_StoredIntegerTensor>:$zero_points,
    Optional<Heddle_FloatTensor>:$minima, Optional<Heddle_FloatTensor>:$outliers,
    Optional<Heddle_NumbersTensor>:$outlier_indices,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$block, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$outlier_rows,
    OptionalAttr<Heddle_Format>:$format, UnitAttr:$transposed);
  let results = (outs Heddle_FloatTensor:$result);
  let assemblyFormat = [{
    $input oilist(`scales` `(` $scales `:` type($scales) `)` | `zero_points` `(` $zero_points `:` type($zero_points) `)`
      | `minima` `(` $minima `:` type($minima) `)` | `outliers` `(` $outliers `:` type($outliers) `)`
      | `format` `(` $format `)` | `transposed` $transposed | `block` $block | `outlier_rows` $outlier_rows
      | `outlier_indices` `(` $outlier_indices `:` type($outlier_indices) `)`)
    attr-dict `:` type($input) `->` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$type, "::mlir::Value":$narrow), [{
    build($_builder, $_state, type, narrow, {}, {}, {}, {}, ::llvm::ArrayRef<int64_t>(), ::llvm::ArrayRef<int64_t>());
  }]>, OpBuilder<(ins "::mlir::Type":$type, "::mlir::Value":$input, "::mlir::Value":$scales,
                      "::mlir::Value":$zero_points, "::mlir::Value":$minima, "::mlir::Value":$outliers,
                      "::llvm::ArrayRef<int64_t>":$block, "::llvm::ArrayRef<int64_t>":$outlier_rows), [{
    build($_builder, $_state, type, input, scales, zero_points, minima, outliers, /*outlier_indices=*/{}, block,
    outlier_rows, /*format=*/{}, /*transposed=*/false);
  }]>, OpBuilder<(ins "::mlir::Type":$type, "::mlir::Value":$bytes, "::heddle::Format":$format, "bool":$transposed), [{
    build($_builder, $_state, type, bytes, {}, {}, {}, {}, {}, ::llvm::ArrayRef<int64_t>(), ::llvm::ArrayRef<int64_t>(),
    format, transposed);
  }]>];
  let extraClassDeclaration = [{
    /// Whether the op only widens floats: it has neither scales nor a format.
    bool isPlain() { return !getScales() && !getFormat(); }
  }];
}

#endif // HEDDLE_OPS_DEQUANTIZE_TD
