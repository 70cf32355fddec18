//===- PastToStates.h - turns a past of any length into states --*- C++ -*-===//

#ifndef HEDDLE_IMPORT_STATES_PASTTOSTATES_H
#define HEDDLE_IMPORT_STATES_PASTTOSTATES_H

#include "sizes/Dim.h"

#include "mlir/IR/BuiltinOps.h"

namespace heddle {

/// The dimension that is the capacity of the states, in positions.
inline constexpr llvm::StringLiteral capacityDim = "capacity";

/// Turns the past of a model into states. The module must have inputs [batch, heads, P, size] of @main, where P is the
/// last size of the current scope; for each of them an output with new rows appended to it; and an unused input [batch]
/// with heddle.state_past. Everything that depends on P must be the computation for sequences that all have a past of P
/// positions.
///
/// Afterwards the inputs are states of `capacity` positions, and sequence b is computed as before with P = past[b]. A
/// dimension with the P positions and the new ones becomes one of `capacity`; elements after the first past[b] and the
/// new ones are undefined, and only attention reads them, whose key lengths exclude them. Emits an error at a node for
/// every other dependence on P. `rows` is the required number of new positions, which limits P.
mlir::LogicalResult pastToStates(mlir::ModuleOp module, const Dim &capacity, std::optional<Dim> rows);

} // namespace heddle

#endif // HEDDLE_IMPORT_STATES_PASTTOSTATES_H
