//===- PastToStates.h - turns a past of any length into states --*- C++ -*-===//

#ifndef HEDDLE_IMPORT_STATES_PASTTOSTATES_H
#define HEDDLE_IMPORT_STATES_PASTTOSTATES_H

#include "sizes/Dim.h"

#include "mlir/IR/BuiltinOps.h"

namespace heddle {

/// The name of the dimension whose size is the capacity of the states, in positions.
inline constexpr llvm::StringLiteral capacityDim = "capacity";

/// Converts the past of a model to states. P, the last size of the current SizeScope, is the number of past positions,
/// which is equal for all sequences. The function @main must have
/// - inputs [batch, heads, P, size], which are the past,
/// - for each of them, an output that is this input with new rows appended to it, and
/// - an unused input `past` [batch] with the attribute heddle.state_past.
///
/// Afterwards these inputs and outputs are states of `capacity` positions, and sequence b is computed with P = past[b].
/// An extent of P, or of P plus the new positions, becomes `capacity`. The elements beyond the filled positions are
/// undefined. Only attention combines elements of several positions, and its key lengths exclude these elements. Emits
/// an error if a node depends on P in any other way, or if `rows` is set and differs from the number of new positions.
mlir::LogicalResult pastToStates(mlir::ModuleOp module, const Dim &capacity, std::optional<Dim> rows);

} // namespace heddle

#endif // HEDDLE_IMPORT_STATES_PASTTOSTATES_H
