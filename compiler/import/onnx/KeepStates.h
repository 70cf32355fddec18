//===- KeepStates.h - past and present of a graph as states -----*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_KEEPSTATES_H
#define HEDDLE_IMPORT_ONNX_KEEPSTATES_H

#include "Graph.h"

#include "mlir/Support/LogicalResult.h"

#include <map>

namespace heddle::onnx {

/// The input that tells how many positions of each sequence a state holds, [batch].
inline constexpr llvm::StringLiteral pastInput = "past";
/// On a node whose past is a state: it has `pastInput` in the place of its operand 5.
inline constexpr llvm::StringLiteral keepsState = "heddle.keeps_state";

/// Input by output: each is a state before and after a call.
using StatePorts = std::map<std::string, std::string>;

/// Where an input of the graph is the past of a node that makes an output of it, both are a state: the node
/// takes `pastInput`, a new input of the graph, for what told how long the past is. What no output needs any more, and
/// the inputs that only this needed, are gone. GroupQueryAttention's buffers are such; any other past that becomes an
/// output is refused, and so is a graph without one.
llvm::LogicalResult keepStates(mlir::Location loc, Graph &graph, StatePorts &states);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_KEEPSTATES_H
