//===- Shapes.h - checks for verifiers and type inference -------*- C++ -*-===//
//
// Functions whose names begin with `expect` check a size, shape, rank or element type. Their error message names the
// operand, the found and the expected value, and ends with the label of the violated constraint. A dynamic size
// satisfies every constraint.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_OPS_SHAPES_H
#define HEDDLE_OPS_SHAPES_H

#include "Heddle.h"

namespace heddle {

/// Returns the text of a shape for messages, such as [2, ?, 8].
std::string shapeText(llvm::ArrayRef<int64_t> shape);

inline bool isDynamic(int64_t size) { return mlir::ShapedType::isDynamic(size); }

/// Returns the known one of two sizes that must be equal: `a`, or `b` if `a` is dynamic.
inline int64_t refine(int64_t a, int64_t b) { return isDynamic(a) ? b : a; }

/// Returns a ranked tensor's shape, which is empty if `value` is null (an absent optional operand).
llvm::ArrayRef<int64_t> shapeOf(mlir::Value value);

/// Returns the number of elements of a ranked tensor; 0 if a size is dynamic.
double countElements(mlir::Value value);

/// Checks the size `found` of one dimension of an operand. `what` names the dimension, and `source` the operand that
/// determines `expected`. Error: "op key has head size 4, expected 8 as in query (C4)".
mlir::LogicalResult expectSize(mlir::Operation *op, llvm::StringRef label, llvm::StringRef operand,
                               llvm::StringRef what, int64_t found, int64_t expected, llvm::StringRef source);

/// Checks a shape; an absent operand passes. Error: "op bias has shape [3], expected [4] (C3)".
mlir::LogicalResult expectShape(mlir::Operation *op, llvm::StringRef label, llvm::StringRef operand,
                                mlir::Value value, llvm::ArrayRef<int64_t> expected);

/// Checks a rank; an absent operand passes. Error: "op value has rank 3, expected 4 (C1)".
mlir::LogicalResult expectRank(mlir::Operation *op, llvm::StringRef label, llvm::StringRef operand, mlir::Value value,
                               int64_t minimum, int64_t maximum);

/// Checks that the first of `operands`, all others that are present, and all results of `op` have one element type.
mlir::LogicalResult expectElementType(mlir::Operation *op, llvm::StringRef label,
                                      llvm::ArrayRef<std::pair<llvm::StringRef, mlir::Value>> operands);

/// Checks that `value`, aligned at the last dimension, broadcasts to `shape`; an absent operand passes.
mlir::LogicalResult expectBroadcastable(mlir::Operation *op, llvm::StringRef label, llvm::StringRef operand,
                                        mlir::Value value, llvm::ArrayRef<int64_t> shape);

/// The number of columns N of a weight [K, N]. The shape of a packed weight, [P, K, panel] or [interleaved, P, K,
/// panel] with interleaved panels, determines only bounds of N, since the last panels may be padded with zeros.
struct Columns {
  int64_t minimum, maximum; // bounds of N, which are equal for a weight that is not packed; kDynamic if unknown
  /// Returns N; kDynamic if it is not known.
  int64_t exact() const { return minimum == maximum ? minimum : mlir::ShapedType::kDynamic; }
};
Columns columnsOf(mlir::Value weight);
/// The number of rows K of a weight, packed or not.
int64_t rowsOf(mlir::Value weight);
/// Checks that a weight of this shape can have `columns` columns.
mlir::LogicalResult expectColumns(mlir::Operation *op, llvm::StringRef label, llvm::StringRef operand,
                                  mlir::Value weight, int64_t columns);

/// Whether the types have equal element types, encodings and ranks, and equal sizes where both are static.
bool areCompatible(mlir::TypeRange a, mlir::TypeRange b);

/// Returns the input's type with `size` as its last dimension.
mlir::RankedTensorType withLastDim(mlir::Value input, int64_t size);

/// Returns `type` with its dynamic sizes replaced by those of `other`. Returns `type` if `other` is null or has another
/// rank.
mlir::RankedTensorType refined(mlir::RankedTensorType type, mlir::Value other);

} // namespace heddle

#endif // HEDDLE_OPS_SHAPES_H
