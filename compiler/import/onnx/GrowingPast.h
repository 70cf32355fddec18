//===- GrowingPast.h - a past that grows from call to call ------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_GROWINGPAST_H
#define HEDDLE_IMPORT_ONNX_GROWINGPAST_H

#include "Graph.h"

#include "mlir/Support/LogicalResult.h"

namespace heddle::onnx {

/// An input that is removed from a model with states, because the states determine its value.
struct DerivedInput {
  /// The last dimension of `port` is the number of new tokens; an input of ones also covers the past.
  Port port;
  enum Kind { Ones, Positions } kind;
};

/// The inputs [batch, heads, P, size] to which a Concat appends new rows as an output, and the name of P.
struct GrowingPast {
  std::vector<std::string> inputs;
  std::string size;
  Port::Axis rows; // the number of new rows, as far as an input has it
};

/// Finds the growing past of a graph; `inputs` is empty if there is none. Emits an error if some inputs have another
/// form, or if P has no single name that no other dimension has.
mlir::FailureOr<GrowingPast> findGrowingPast(mlir::Location loc, const Graph &graph);

/// Gives all pasts of the graph the same length and batch size, adds the input `pastInput`, and moves inputs that the
/// states determine from the graph to `told`: attention_mask, which is 1 for the past and for new tokens, and
/// position_ids or cache_position, which count from the length of the past.
mlir::LogicalResult keepGrowingPast(mlir::Location loc, Graph &graph, const GrowingPast &past,
                                    std::vector<DerivedInput> &told);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_GROWINGPAST_H
