//===- SmallIntegers.h - integers of 4 and 8 bits ---------------*- C++ -*-===//
//
// During the import, a tensor of integers of 4 or 8 bits is represented by an f32 tensor with the same values, so
// operators that only move elements need no additional code for such integers. SmallIntegers::types contains the types
// of such tensors in the file. A stored tensor that is too large for a constant becomes a heddle.dequantize of its
// bytes with a scale of 1. When a node with the actual scales is converted, another heddle.dequantize with these scales
// replaces it.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IMPORT_ONNX_SMALLINTEGERS_H
#define HEDDLE_IMPORT_ONNX_SMALLINTEGERS_H

#include "Emit.h"
#include "Graph.h"

#include "Heddle.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"

namespace heddle::onnx {

class NodeContext;

/// How an operator treats integers of 4 and 8 bits.
enum class SmallUse {
  None,      // the operator does not support such integers
  Unchanged, // the results contain elements of the operands, unchanged
  Supported  // the operator supports such integers and checks the types itself
};

/// Information about integers of 4 and 8 bits during one import.
struct SmallIntegers {
  /// The types in the file of all values that are such integers, by the names of the values.
  llvm::StringMap<mlir::IntegerType> types;

  /// The rounding of the rows of the float tensor `source` with an activation scale and a zero point. The map
  /// `integers` contains an entry for each value that consists of the rounded integers; `floats` contains an entry for
  /// each value that consists of the floats which these integers represent.
  struct Rounded {
    mlir::Value source, scale, zero;
    RowRoundingAttr rounding;
  };
  llvm::DenseMap<mlir::Value, Rounded> integers, floats;

  /// A product of integers whose scales have not been applied yet: (`lhs` - `lhsZero`) x (`rhs` - `rhsZero`), where the
  /// elements of `lhs` were rounded and `rhs` is stored. `product` is the same product, computed in floats.
  struct Product {
    mlir::Value lhs, lhsZero, rhs, rhsZero, product;
    mlir::IntegerType rhsType;
  };
  llvm::DenseMap<mlir::Value, Product> products;

  /// `steps` contains the activation scales that the compiled code computes in each call of the model. For each product
  /// of an activation scale and another scale, `scales` contains both factors.
  llvm::DenseSet<mlir::Value> steps;
  llvm::DenseMap<mlir::Value, std::pair<mlir::Value, mlir::Value>> scales;

  /// Sets the type of a value. `type` is null if the value does not consist of integers of 4 or 8 bits.
  void set(llvm::StringRef name, mlir::IntegerType type) {
    if (type)
      types[name] = type;
    else
      types.erase(name);
  }
};

/// The minimum and the maximum number of the type.
double minOf(mlir::IntegerType type);
double maxOf(mlir::IntegerType type);

/// The elements of a tensor of integers of 4 or 8 bits as f32.
mlir::DenseElementsAttr floatsOf(const TensorData &tensor);

/// Returns the integers of type `type` that are stored in the bytes of a weight, as f32: a heddle.dequantize with scale
/// 1.
mlir::Value storedIntegers(Emitter &b, WeightOp weight, mlir::IntegerType type);

/// Whether the value is a weight or a constant, or is dequantized from weights and constants.
bool isStored(mlir::Value value);

/// Converts floats to f32. The conversion of a weight becomes a step of its recipe, the steps that are applied to the
/// stored tensor when a library is written.
mlir::Value floats(Emitter &b, mlir::Value value);

/// Reshapes a value. If it is a weight, the reshape becomes a step of its recipe.
mlir::Value reshapeStored(Emitter &b, mlir::Value value, llvm::ArrayRef<int64_t> shape);
/// Transposes a value. If it is a weight or a dequantized weight, the transpose becomes a step of the weight's recipe.
mlir::Value transposeStored(Emitter &b, mlir::Value value, llvm::ArrayRef<int64_t> permutation);

/// Describes how integers represent floats: (integer - zero) * scale. There is a single scale, or one scale for each
/// index of `axis`, or, if `block` > 0, one scale for each `block` elements along `axis`. `zeros` has the shape of
/// `scales`; if it is null, all zero points are 0.
struct Scaling {
  mlir::Value scales, zeros;
  mlir::IntegerType type; // the type of the integers
  int64_t axis = 1, block = 0;
};

/// Checks that the scales are floats, and that the shapes of scales and zero points are valid for a tensor of shape
/// `shape`. Converts the scales to f32. Returns, for each dimension, the number of elements that share a scale.
mlir::FailureOr<llvm::SmallVector<int64_t>> checkScaling(NodeContext &n, llvm::ArrayRef<Dim> shape, Scaling &scaling);

/// Reshapes and, in blocks, repeats checked scales (or zero points) so that they broadcast to `shape`. `block` is the
/// result of checkScaling.
mlir::Value spread(Emitter &b, mlir::Value scales, llvm::ArrayRef<Dim> shape, llvm::ArrayRef<int64_t> block);

/// Converts integers to the floats that they represent: with heddle.dequantize if the integers, the scales and the zero
/// points are stored, otherwise with arithmetic.
mlir::FailureOr<mlir::Value> dequantize(NodeContext &n, mlir::Value integers, Scaling scaling);

/// Emits a linear layer whose input rows are rounded. Returns null if `weight` is not a stored f32 matrix [K, N], if
/// the rows do not have K elements, or if the bias does not have N elements.
mlir::Value roundedLinear(NodeContext &n, const SmallIntegers::Rounded &rounded, mlir::Value weight,
                          mlir::Value bias = {});

/// Whether `a` and `b` are the same value, or splat constants of the same number. A null value counts as 0.
bool areSame(mlir::Value a, mlir::Value b);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_SMALLINTEGERS_H
