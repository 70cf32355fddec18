//===- KeepStates.h - turns the past of a graph into states -----*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_KEEPSTATES_H
#define HEDDLE_IMPORT_ONNX_KEEPSTATES_H

#include "Graph.h"

#include "mlir/Support/LogicalResult.h"

#include <map>

namespace heddle::onnx {

/// The input with the number of filled positions of each sequence in its states, [batch].
inline constexpr llvm::StringLiteral pastInput = "past";
/// An attribute of a node whose past is a state. The node then has `pastInput` as operand 5.
inline constexpr llvm::StringLiteral keepsState = "heddle.keeps_state";

/// Maps inputs to outputs: the values of a state before and after a call.
using StatePorts = std::map<std::string, std::string>;

/// Turns inputs and outputs of the graph into states, if a node writes new rows into the input to make the output:
/// * the buffers of GroupQueryAttention. The node gets `pastInput`, a new input of the graph, in place of the operand
/// with
///   the length of the past; nodes without needed results and inputs that only they used are removed.
/// * caches that TensorScatter writes, all at the positions in one input, which is renamed to `pastInput`.
/// * caches that ScatterND, ScatterElements or TensorScatter write in other ways. A call replaces such a state.
/// Emits an error for any other past that becomes an output, and for a graph without a past. (GrowingPast.h handles a
/// past that grows.)
llvm::LogicalResult keepStates(mlir::Location loc, Graph &graph, StatePorts &states);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_KEEPSTATES_H
