//===- GrowingPast.h - a past that grows from call to call ------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_GROWINGPAST_H
#define HEDDLE_IMPORT_ONNX_GROWINGPAST_H

#include "Graph.h"

#include "mlir/Support/LogicalResult.h"

namespace heddle::onnx {

/// An input that is removed from a model with states, because the states determine its value.
struct DerivedInput {
  /// The last dimension of `port` is the number of new tokens. If the input contains ones, its last dimension also
  /// includes the past.
  Port port;
  enum Kind { Ones, Positions } kind;
};

/// The inputs [batch, heads, P, size] to which a Concat appends new rows so that the result is an output of the model,
/// and the name of the dimension P.
struct GrowingPast {
  std::vector<std::string> inputs;
  std::string size;
  Port::Axis rows; // the axis with the new rows; it has neither name nor size if no input has this axis
};

/// Finds the growing past of a graph; `inputs` is empty if there is none. Emits an error for a past that a Concat
/// extends along another axis than 2, or whose number of positions is fixed.
mlir::FailureOr<GrowingPast> findGrowingPast(mlir::Location loc, const Graph &graph);

/// Gives all past inputs of the graph the same length and batch size, and adds the input `pastInput`. Moves inputs
/// whose values the states determine from the graph to `told`: attention_mask, which is 1 for the past and the new
/// tokens, and position_ids or cache_position, which contain consecutive numbers from the length of the past on.
mlir::LogicalResult keepGrowingPast(mlir::Location loc, Graph &graph, const GrowingPast &past,
                                    std::vector<DerivedInput> &told);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_GROWINGPAST_H
