//===- SmallIntegers.h - integers of 4 and 8 bits, and their scales -*- C++ -*-===//
//
// In the import form a tensor of such integers is one of f32 that holds them, so that what moves elements moves these,
// too; which type it has in the file goes with its name. One that is stored is heddle.dequantize of the stored bytes
// with a scale of 1, until its own scales are known.
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

/// What an operator does with integers of 4 and 8 bits.
enum class SmallUse {
  None,  // refuses them
  Moves, // its results have elements of its first operand, whatever these are
  Takes  // looks at the types itself
};

/// What one import knows of integers of 4 and 8 bits.
struct SmallIntegers {
  /// The types of values, by their names.
  llvm::StringMap<mlir::IntegerType> types;

  /// What rounding made of the rows of `source`: integers, or the floats that these stand for.
  struct Rounded {
    mlir::Value source, scale, zero;
    RowRoundingAttr rounding;
  };
  llvm::DenseMap<mlir::Value, Rounded> integers, floats;

  /// A product of integers that waits for its scales: of `lhs`, whose elements were rounded, and of stored ones, less
  /// their zero points. `product` is the same in floats.
  struct Product {
    mlir::Value lhs, lhsZero, rhs, rhsZero, product;
    mlir::IntegerType rhsType;
  };
  llvm::DenseMap<mlir::Value, Product> products;

  /// Scales that calls compute, and their products with others.
  llvm::DenseSet<mlir::Value> steps;
  llvm::DenseMap<mlir::Value, std::pair<mlir::Value, mlir::Value>> scales;

  void set(llvm::StringRef name, mlir::IntegerType type) {
    if (type)
      types[name] = type;
    else
      types.erase(name);
  }
};

/// The least and the largest number of the type.
double leastOf(mlir::IntegerType type);
double mostOf(mlir::IntegerType type);

/// The integers of a small tensor as f32.
mlir::DenseElementsAttr floatsOf(const TensorData &tensor);

/// The integers that the bytes of a weight are.
mlir::Value storedIntegers(Emitter &b, WeightOp weight, mlir::IntegerType type);

/// A weight or a constant, or what these stand for.
bool isStored(mlir::Value value);

/// Floats in f32, of weights as a step of the recipe.
mlir::Value floats(Emitter &b, mlir::Value value);

/// Stored or constant ones in another shape, or with other dimensions first; of weights as steps of their recipes.
mlir::Value reshapeStored(Emitter &b, mlir::Value value, llvm::ArrayRef<int64_t> shape);
mlir::Value transposeStored(Emitter &b, mlir::Value value, llvm::ArrayRef<int64_t> permutation);

/// How integers stand for floats: (integer - zero) * scale. Scales (and zeros, null: 0) are one number, or one for each
/// index of `axis`, or with a `block` above 0 of the integers' shape, with one for each so many along `axis`.
struct Scaling {
  mlir::Value scales, zeros;
  mlir::IntegerType type; // of the integers
  int64_t axis = 1, block = 0;
};

/// Checks that scales and zeros are f32, and fit a tensor of this shape; -> elements that share a scale, by dimension.
mlir::FailureOr<llvm::SmallVector<int64_t>> checkScaling(NodeContext &n, llvm::ArrayRef<Dim> shape, Scaling &scaling);

/// Scales (or zeros) that were checked as a tensor that broadcasts to one of this shape.
mlir::Value spread(Emitter &b, mlir::Value scales, llvm::ArrayRef<Dim> shape, llvm::ArrayRef<int64_t> block);

/// The floats that integers stand for: of stored ones heddle.dequantize, else arithmetic.
mlir::FailureOr<mlir::Value> dequantize(NodeContext &n, mlir::Value integers, Scaling scaling);

/// A linear layer whose rows are rounded, if `weight` [K, N] is stored and fits; else null.
mlir::Value roundedLinear(NodeContext &n, const SmallIntegers::Rounded &rounded, mlir::Value weight,
                          mlir::Value bias = {});

/// Both are one value, or constants of one number.
bool areSame(mlir::Value a, mlir::Value b);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_SMALLINTEGERS_H
