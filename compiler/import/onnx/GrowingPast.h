//===- GrowingPast.h - a past that grows from call to call ------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_GROWINGPAST_H
#define HEDDLE_IMPORT_ONNX_GROWINGPAST_H

#include "Graph.h"

#include "mlir/Support/LogicalResult.h"

namespace heddle::onnx {

/// An input that is removed from a model with states, because the states determine its value.
struct DerivedInput {
  /// The last dimension of `port` is the number of new tokens. The last dimension of an input of ones also includes the
  /// past.
  Port port;
  enum Kind { Ones, Positions } kind;
};

/// The inputs [batch, heads, P, size] to which a Concat appends new rows, where the result is an output of the model;
/// and the name of P.
struct GrowingPast {
  std::vector<std::string> inputs;
  std::string size;
  Port::Axis rows; // the axis with the new rows; without name and size if no input has it
};

/// Finds the growing past of a graph; `inputs` is empty if there is none. Emits an error for a past that a Concat
/// extends along another axis than 2, or whose number of positions is fixed.
mlir::FailureOr<GrowingPast> findGrowingPast(mlir::Location loc, const Graph &graph);

/// Gives all pasts of the graph the same length and batch size, and adds the input `pastInput`. Moves inputs whose
/// values the states determine from the graph to `told`: attention_mask, which is 1 for the past and the new tokens,
/// and position_ids or cache_position, which count from the length of the past on.
mlir::LogicalResult keepGrowingPast(mlir::Location loc, Graph &graph, const GrowingPast &past,
                                    std::vector<DerivedInput> &told);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_GROWINGPAST_H
