//===- SmallIntegers.h - integers of 4 and 8 bits ---------------*- C++ -*-===//
//
// In imported modules a tensor of such integers is an f32 tensor with their values, so that operations that move
// elements also work for them. SmallIntegers::types has the type that the tensor has in the file. A stored tensor is a
// heddle.dequantize of the stored bytes with a scale of 1 until its own scales are known.
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
  None,  // refuses them
  Moves, // its results have the elements of its first operand, unchanged
  Takes  // checks the types itself
};

/// Information about integers of 4 and 8 bits during one import.
struct SmallIntegers {
  /// The types of values by name.
  llvm::StringMap<mlir::IntegerType> types;

  /// A value that is the rounded rows of `source`: as integers, or dequantized to floats.
  struct Rounded {
    mlir::Value source, scale, zero;
    RowRoundingAttr rounding;
  };
  llvm::DenseMap<mlir::Value, Rounded> integers, floats;

  /// A product of integers whose scales have not been applied yet: `lhs`, whose elements were rounded, times the stored
  /// `rhs`, each minus its zero points. `product` is the value computed in floats.
  struct Product {
    mlir::Value lhs, lhsZero, rhs, rhsZero, product;
    mlir::IntegerType rhsType;
  };
  llvm::DenseMap<mlir::Value, Product> products;

  /// Scales that calls compute (`steps`), and their products with other scales.
  llvm::DenseSet<mlir::Value> steps;
  llvm::DenseMap<mlir::Value, std::pair<mlir::Value, mlir::Value>> scales;

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

/// The integers that are stored in the bytes of a weight, as f32.
mlir::Value storedIntegers(Emitter &b, WeightOp weight, mlir::IntegerType type);

/// Whether the value is a weight or a constant, or a dequantized one.
bool isStored(mlir::Value value);

/// Converts floats to f32; for weights by a step of the recipe.
mlir::Value floats(Emitter &b, mlir::Value value);

/// Reshapes or transposes a stored or constant value; for weights by steps of their recipes.
mlir::Value reshapeStored(Emitter &b, mlir::Value value, llvm::ArrayRef<int64_t> shape);
mlir::Value transposeStored(Emitter &b, mlir::Value value, llvm::ArrayRef<int64_t> permutation);

/// How integers represent floats: (integer - zero) * scale. There is a single scale, or one for each index of `axis`,
/// or if `block` > 0 one for each `block` elements along `axis`. Zeros are like the scales; null means 0.
struct Scaling {
  mlir::Value scales, zeros;
  mlir::IntegerType type; // the type of the integers
  int64_t axis = 1, block = 0;
};

/// Checks that scales and zeros are f32 and fit a tensor of this shape. Returns for each dimension the number of
/// elements that share a scale.
mlir::FailureOr<llvm::SmallVector<int64_t>> checkScaling(NodeContext &n, llvm::ArrayRef<Dim> shape, Scaling &scaling);

/// Reshapes checked scales (or zeros) so that they broadcast to this shape.
mlir::Value spread(Emitter &b, mlir::Value scales, llvm::ArrayRef<Dim> shape, llvm::ArrayRef<int64_t> block);

/// Converts integers to the floats that they represent: by heddle.dequantize if they are stored, else by arithmetic.
mlir::FailureOr<mlir::Value> dequantize(NodeContext &n, mlir::Value integers, Scaling scaling);

/// A linear layer whose input rows are rounded; null if `weight` is not a stored f32 matrix [K, N], if the rows do not
/// have K elements, or if the bias does not have N.
mlir::Value roundedLinear(NodeContext &n, const SmallIntegers::Rounded &rounded, mlir::Value weight,
                          mlir::Value bias = {});

/// Whether both are the same value, or constants with the same single number.
bool areSame(mlir::Value a, mlir::Value b);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_SMALLINTEGERS_H
