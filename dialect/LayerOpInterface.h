//===- LayerOpInterface.h - what layers have in common ----------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_LAYEROPINTERFACE_H
#define HEDDLE_DIALECT_LAYEROPINTERFACE_H

#include "mlir/IR/OpDefinition.h"

namespace heddle {

/// What an operand is to its layer.
enum class OperandRole {
  Input,      // rows that go through the layer as they are
  Normalized, // rows that are brought to one scale each
  Residual,   // rows that are added
  Query,
  Key,
  Value,
  ScoreBias,  // added to scores
  Mask,       // true where a score is kept
  ScoreRead,  // by what changes scores or weights
  KeyLengths, // how many keys of each batch entry there are
  Weight,     // a matrix that rows are multiplied by
  Columns,    // numbers of the input's columns
  Bias,       // a vector that is added to each row
  Scale,      // a vector that each row is multiplied by, element by element
  Rotation,   // sines or cosines by position
  Gate,       // how much of a state stays, or of a value is taken over
  State,      // what the positions before have left
  Past        // how many positions there were before, of each batch entry
};

/// Where a layer adds its residual.
enum class ResidualPlace {
  None,  // it takes none
  First, // to the input
  Last   // to the result
};

/// The rows of an operand.
struct OperandRows {
  /// The dimensions that count them, in the order of those of the result's rows; none where all rows of the
  /// result share the operand.
  llvm::SmallVector<unsigned> dims;
  /// Whether a row of the result depends on the same row of the operand only. Else rows mix: it may depend on
  /// all rows of its batch entry.
  bool apart = true;
};

namespace detail {
/// The defaults of the interface.
llvm::SmallVector<unsigned> allButLast(mlir::Value value);
OperandRows rowsByRole(OperandRole role, mlir::Value value);
} // namespace detail

} // namespace heddle

#include "LayerOpInterface.h.inc"

#endif // HEDDLE_DIALECT_LAYEROPINTERFACE_H
