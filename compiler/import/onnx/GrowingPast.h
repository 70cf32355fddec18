//===- GrowingPast.h - a past that grows from call to call ------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_GROWINGPAST_H
#define HEDDLE_IMPORT_ONNX_GROWINGPAST_H

#include "Graph.h"

#include "mlir/Support/LogicalResult.h"

namespace heddle::onnx {

/// An input that a model with states does not have, since they say what it is.
struct ToldInput {
  /// Its last dimension is the new tokens; of `Ones` the past is before them.
  Port port;
  enum Kind { Ones, Positions } kind;
};

/// Inputs [batch, heads, P, size] behind which a node appends new rows (Concat), which is an output; and what P is
/// called.
struct GrowingPast {
  std::vector<std::string> inputs;
  std::string size;
  Port::Axis rows; // the new ones, as far as inputs tell them
};

/// Those of a graph; without any input where there are none. An error where some are of another form, or there is no
/// one name for P that nothing else has.
mlir::FailureOr<GrowingPast> findGrowingPast(mlir::Location loc, const Graph &graph);

/// Gives all pasts of the graph one length and one batch, and the graph the input `pastInput`, and takes those inputs
/// out that are told (into `told`): attention_mask, which is 1 for the past and the new tokens, and position_ids or
/// cache_position, which count from the past on.
mlir::LogicalResult keepGrowingPast(mlir::Location loc, Graph &graph, const GrowingPast &past,
                                    std::vector<ToldInput> &told);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_GROWINGPAST_H
