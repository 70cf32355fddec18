//===- GrowingPast.h - a past that grows from call to call ------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_GROWINGPAST_H
#define HEDDLE_IMPORT_ONNX_GROWINGPAST_H

#include "Graph.h"

#include "mlir/Support/LogicalResult.h"

namespace heddle::onnx {

/// An input that is removed from a model with states, because the states determine its value.
struct DerivedInput {
  /// The input. The last axis of `port` is the number of new tokens; for Kind::Ones, the last dimension of the value is
  /// the number of past and new tokens.
  Port port;
  /// All elements are 1, or each element is the position of a new token.
  enum Kind { Ones, Positions } kind;
};

/// A past that the caller passes to each call and that grows from call to call: a Concat appends new rows to inputs
/// [batch, heads, P, size], and its results are outputs of the model.
struct GrowingPast {
  std::vector<std::string> inputs; // the names of these inputs
  std::string size;                // the name of the dimension P of the first of them
  Port::Axis rows;                 // the axis with the new rows; it has neither name nor size if no input has this axis
};

/// Finds the growing past of a graph; `inputs` is empty if there is none. Emits an error for a past that a Concat
/// extends along an axis other than 2, or whose number of positions is fixed.
mlir::FailureOr<GrowingPast> findGrowingPast(mlir::Location loc, const Graph &graph);

/// Gives all past inputs of the graph the same length and batch size, and adds the input `pastInput` (KeepStates.h),
/// the length of the past of each sequence. Removes from the graph the inputs whose values the states determine, and
/// adds them to `derivedInputs`: attention_mask, which is 1 for the past and the new tokens, and position_ids or
/// cache_position, which contain consecutive numbers that start at the length of the past.
mlir::LogicalResult keepGrowingPast(mlir::Location loc, Graph &graph, const GrowingPast &past,
                                    std::vector<DerivedInput> &derivedInputs);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_GROWINGPAST_H
