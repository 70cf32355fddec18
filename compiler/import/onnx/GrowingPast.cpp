//===- GrowingPast.cpp - a past that grows from call to call --------------===//

#include "GrowingPast.h"
#include "KeepStates.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace heddle::onnx;

/// Returns the port with this name; null if there is none.
static const Port *findPort(const std::vector<Port> &ports, StringRef name) {
  auto found = llvm::find_if(ports, [&](const Port &port) { return port.name == name; });
  return found == ports.end() ? nullptr : &*found;
}

/// If the node is a Concat that appends new rows to an input of the graph with 4 dimensions, and the result of the node
/// is an output, returns this input; else null.
static const Port *pastOf(const Graph &graph, const Node &node) {
  bool appends = node.domain.empty() && node.opType == "Concat" && node.inputs.size() == 2 &&
                 node.outputs.size() == 1 && findPort(graph.outputs, node.outputs[0]);
  const Port *port = appends ? findPort(graph.inputs, node.inputs[0]) : nullptr;
  return port && port->axes.size() == 4 ? port : nullptr;
}

/// Returns the input with the new tokens, which exporters name input_ids or inputs_embeds; null if there is none.
static const Port *findTokens(const Graph &graph) {
  const Port *tokens = findPort(graph.inputs, "input_ids");
  if (!tokens)
    tokens = findPort(graph.inputs, "inputs_embeds");
  return tokens && tokens->axes.size() >= 2 ? tokens : nullptr;
}

/// Returns an axis of an input. If the axis is dynamic and has no name, it gets the name INPUT.AXIS.
static Port::Axis named(const Port &port, size_t axis) {
  Port::Axis result = port.axes[axis];
  if (result.size < 0 && result.name.empty())
    result.name = port.name + "." + std::to_string(axis);
  return result;
}

FailureOr<GrowingPast> heddle::onnx::findGrowingPast(Location loc, const Graph &graph) {
  GrowingPast past;
  for (const Node &node : graph.nodes) {
    const Port *port = pastOf(graph, node);
    if (!port)
      continue;
    auto axis = node.attributes.find("axis");
    bool isAlongPositions = axis != node.attributes.end() && (axis->second.i == 2 || axis->second.i == -2);
    if (!isAlongPositions || port->axes[2].size >= 0)
      return emitError(loc) << "node '" << node.name << "' (" << node.opType
                            << "): --state: expected a past [batch, heads, positions, size] with a dynamic number of "
                               "positions, to which new positions are appended (axis 2)";
    if (past.inputs.empty())
      past.size = named(*port, 2).name;
    past.inputs.push_back(port->name);
    const Port *rows = findPort(graph.inputs, node.inputs[1]);
    if (past.inputs.size() == 1 && rows && rows->axes.size() == 4)
      past.rows = named(*rows, 2);
  }
  if (const Port *tokens = findTokens(graph))
    past.rows = named(*tokens, 1);
  return past;
}

LogicalResult heddle::onnx::keepGrowingPast(Location loc, Graph &graph, const GrowingPast &past,
                                            std::vector<DerivedInput> &derivedInputs) {
  if (findPort(graph.inputs, pastInput))
    return emitError(loc) << "--state: expected a model without an input '" << pastInput
                          << "', because --state adds this input";
  for (const Node &node : graph.nodes)
    if (node.opType == "GroupQueryAttention" && node.inputs.size() > 3 && findPort(graph.inputs, node.inputs[3]))
      return emitError(loc) << "node '" << node.name << "' (" << node.opType
                            << "): --state: a past in a buffer is not supported together with a past that grows, '"
                            << past.inputs.front() << "'";
  const Port *tokens = findTokens(graph);
  Port::Axis batch = named(tokens ? *tokens : *findPort(graph.inputs, past.inputs.front()), 0);
  for (Port &port : graph.inputs) {
    if (llvm::is_contained(past.inputs, port.name)) {
      port.axes[0] = batch;
      port.axes[2].name = past.size;
    }
    bool isMask = port.name == "attention_mask" && port.axes.size() == 2;
    bool isPositions = (port.name == "position_ids" && port.axes.size() == 2) ||
                       (port.name == "cache_position" && port.axes.size() == 1);
    if (!isMask && !isPositions)
      continue;
    if (!tokens || (isPositions && !port.element.isInteger(64)))
      return emitError(loc) << "--state: input '" << port.name << "': "
                            << (tokens ? "expected i64"
                                       : "supported only in a model with the input input_ids or inputs_embeds");
    // The input is removed below, and compiled code computes its value from the length of the past.
    derivedInputs.push_back({port, isMask ? DerivedInput::Ones : DerivedInput::Positions});
    std::vector<Port::Axis> &axes = derivedInputs.back().port.axes;
    axes.back() = named(*tokens, 1);
    if (axes.size() == 2 && !(isPositions && axes[0].size == 1))
      axes[0] = batch;
  }
  llvm::erase_if(graph.inputs, [&](const Port &port) {
    return llvm::any_of(derivedInputs, [&](const DerivedInput &input) { return input.port.name == port.name; });
  });
  Port lengths;
  lengths.name = pastInput.str();
  lengths.element = IntegerType::get(loc.getContext(), 64);
  lengths.hasShape = true;
  lengths.axes.push_back(batch);
  graph.inputs.push_back(lengths);
  return success();
}
