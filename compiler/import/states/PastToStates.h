//===- PastToStates.h - a past of any length as states ----------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_STATES_PASTTOSTATES_H
#define HEDDLE_IMPORT_STATES_PASTTOSTATES_H

#include "sizes/Dim.h"

#include "mlir/IR/BuiltinOps.h"

namespace heddle {

/// The dimension that is for how many positions such a state has room.
inline constexpr llvm::StringLiteral capacityDim = "capacity";

/// What is expected of a module: @main has inputs [batch, heads, P, size], P being the last size of the current scope,
/// and for each an output that is new rows behind it; an input with heddle.state_past, [batch], which nothing reads;
/// and all that depends on P is what the model computes where each sequence has a past of P positions.
///
/// Afterwards these are states of `capacity` positions, and what is computed of sequence b is what it was for P =
/// past[b]. Where a tensor has a dimension of P positions and the new ones, it has one of `capacity`; what is behind
/// the first past[b] and the new ones is anything, and only attention reads it, whose key lengths leave it out.
/// Whatever else depends on P is refused, by the node that does. `rows`: how many new positions there must be, by which
/// P is limited.
mlir::LogicalResult pastToStates(mlir::ModuleOp module, const Dim &capacity, std::optional<Dim> rows);

} // namespace heddle

#endif // HEDDLE_IMPORT_STATES_PASTTOSTATES_H
