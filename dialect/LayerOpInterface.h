//===- LayerOpInterface.h - interface of layers -----------------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_LAYEROPINTERFACE_H
#define HEDDLE_DIALECT_LAYEROPINTERFACE_H

#include "mlir/IR/OpDefinition.h"

namespace heddle {

/// The role of an operand in its layer.
enum class OperandRole {
  Input,      // rows that the layer does not normalize
  Normalized, // rows that are normalized, each with its own scale
  Residual,   // rows that are added to the input or the result
  Query,
  Key,
  Value,
  ScoreBias,  // added to the scores
  Mask,       // true where a score is kept
  ScoreRead,  // a tensor that is read by a region that changes scores or probabilities
  KeyLengths, // the number of keys of each batch entry
  Weight,     // a matrix that rows are multiplied by
  Columns,    // indices of the outlier channels (the columns of the input that are not rounded)
  Bias,       // a vector that is added to each row
  Scale,      // a vector that each row is multiplied by, element by element
  Rotation,   // sines or cosines for each position
  Gate,       // determines the fraction of a state that is kept, or of a value that is added to the state
  State,      // the state that the previous positions produced
  Past        // the number of previous positions of each batch entry
};

/// The place where a layer adds its residual.
enum class ResidualPlace {
  None,  // the layer has no residual
  First, // to the input
  Last   // to the result
};

/// The dimensions of an operand that index rows (feature vectors).
struct OperandRows {
  /// The dimensions of the operand that index rows, in the order of the result's row dimensions. Empty if all rows of
  /// the result share the operand, or if it is not known which row of the operand corresponds to a row of the result.
  llvm::SmallVector<unsigned> dims;
  /// Whether a row of the result depends only on the same row of the operand. If false, it may depend on all rows of
  /// the operand in its batch entry.
  bool rowwise = true;
};

namespace detail {
// Default implementations of interface methods (LayerOpInterface.td).

/// Returns all dimensions of a tensor except the last.
llvm::SmallVector<unsigned> allButLast(mlir::Value value);
/// Returns the row dimensions of an operand: all except the last for an input (normalized or not) or a residual,
/// otherwise none.
OperandRows rowsByRole(OperandRole role, mlir::Value value);
} // namespace detail

} // namespace heddle

#include "LayerOpInterface.h.inc"

#endif // HEDDLE_DIALECT_LAYEROPINTERFACE_H
