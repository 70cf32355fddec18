//===- Shapes.h - what verifiers and type inference share -------*- C++ -*-===//
//
// Checks of one size or shape whose message says which operand, what was found and
// what was expected, and ends with the constraint's label. A dynamic size satisfies
// every constraint.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_OPS_SHAPES_H
#define HEDDLE_OPS_SHAPES_H

#include "Heddle.h"

namespace heddle {

inline bool isDynamic(int64_t size) { return mlir::ShapedType::isDynamic(size); }

/// The one of two equal sizes that is known.
inline int64_t refine(int64_t a, int64_t b) { return isDynamic(a) ? b : a; }

/// A ranked tensor's shape, empty for an absent optional operand.
llvm::ArrayRef<int64_t> shapeOf(mlir::Value value);

/// How many elements, or 0 where a size is dynamic.
double countElements(mlir::Value value);

/// "op key has head size 4, expected 8 as in query (C4)".
mlir::LogicalResult expectSize(mlir::Operation *op, llvm::StringRef label, llvm::StringRef operand,
                               llvm::StringRef what, int64_t found, int64_t expected, llvm::StringRef source);

/// "op bias has shape [3], expected [4] (C3)"; an absent operand passes.
mlir::LogicalResult expectShape(mlir::Operation *op, llvm::StringRef label, llvm::StringRef operand,
                                mlir::Value value, llvm::ArrayRef<int64_t> expected);

/// "op value has rank 3, expected 4 (C1)"; an absent operand passes.
mlir::LogicalResult expectRank(mlir::Operation *op, llvm::StringRef label, llvm::StringRef operand,
                               mlir::Value value, int64_t least, int64_t most);

/// All float operands named, and all results, have the element type of the first operand.
mlir::LogicalResult expectElementType(mlir::Operation *op, llvm::StringRef label,
                                      llvm::ArrayRef<std::pair<llvm::StringRef, mlir::Value>> operands);

/// `value` aligned at the last dimension broadcasts to `shape`; an absent operand passes.
mlir::LogicalResult expectBroadcastable(mlir::Operation *op, llvm::StringRef label, llvm::StringRef operand,
                                        mlir::Value value, llvm::ArrayRef<int64_t> shape);

/// The number of columns N that a weight [K, N], or packed [P, K, panel] or [abreast, P, K, panel], may have.
struct Columns {
  int64_t least, most; // equal for a weight that is not packed; dynamic where not known
  int64_t exact() const { return least == most ? least : mlir::ShapedType::kDynamic; }
};
Columns columnsOf(mlir::Value weight);
/// The number of rows K of a weight, packed or not.
int64_t rowsOf(mlir::Value weight);
/// N lies within what the weight allows.
mlir::LogicalResult expectColumns(mlir::Operation *op, llvm::StringRef label, llvm::StringRef operand,
                                  mlir::Value weight, int64_t columns);

/// Shapes agree where both are static, element types and encodings are equal.
bool areCompatible(mlir::TypeRange a, mlir::TypeRange b);

/// The input's shape with the last dimension replaced.
mlir::RankedTensorType withLastDim(mlir::Value input, int64_t size);

/// `type` with dynamic sizes taken from `other`, which has the same rank (or is absent).
mlir::RankedTensorType refined(mlir::RankedTensorType type, mlir::Value other);

} // namespace heddle

#endif // HEDDLE_OPS_SHAPES_H
