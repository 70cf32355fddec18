//===- KeepStates.h - turns past keys and values into states ----*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_KEEPSTATES_H
#define HEDDLE_IMPORT_ONNX_KEEPSTATES_H

#include "Graph.h"

#include "mlir/Support/LogicalResult.h"

#include <map>

namespace heddle::onnx {

/// The name of the input [batch] with the number of filled positions in the states of each sequence.
inline constexpr llvm::StringLiteral pastInput = "past";
/// An attribute of a node that marks its past as a state. A GroupQueryAttention with this attribute has `pastInput` as
/// operand 5.
inline constexpr llvm::StringLiteral keepsState = "heddle.keeps_state";

/// Maps inputs to outputs: the values of a state before and after a call.
using StatePorts = std::map<std::string, std::string>;

/// Turns pairs of an input and an output of the graph into states if a node writes new rows to the input to compute the
/// output. `states` receives these pairs. They are of three kinds:
/// * the buffers of GroupQueryAttention. The node reads the lengths of the past from `pastInput`, a new input of the
///   graph, instead of from its operand `seqlens_k`. Nodes whose results are no longer needed are removed, and so are
///   the inputs that only these nodes read. If any node of the graph has a body, which may read any value of the graph,
///   nothing is removed.
/// * caches to which TensorScatter appends rows at the positions in an input. This input must be the same for all such
///   nodes; it is renamed to `pastInput`.
/// * caches to which ScatterND, ScatterElements or TensorScatter write in other ways. Each call of the model replaces
///   such a state.
///
/// Emits an error for any other past that becomes an output, and for a graph without a past. GrowingPast.h handles a
/// past that grows by concatenation.
llvm::LogicalResult keepStates(mlir::Location loc, Graph &graph, StatePorts &states);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_KEEPSTATES_H
