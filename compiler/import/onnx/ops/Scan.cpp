//===- Scan.cpp - the ONNX operator Scan ----------------------------------===//
//
// A Scan evaluates its body once for each index of the scanned axis of its inputs. The importer inlines the body once
// for each of these steps.
//
//===----------------------------------------------------------------------===//

#include "OpTable.h"
#include "SizedOperands.h"

using namespace mlir;
using namespace heddle::onnx;

namespace {

/// The maximum number of steps. The size of the code is proportional to the number of steps.
constexpr int64_t maxSteps = 64;

/// The axis of a scan input or output, and whether it is scanned backwards.
struct Way {
  int64_t axis;
  bool backwards;
};

/// Reads `count` numbers from the attribute `name`; returns zeros if the attribute is absent.
FailureOr<Numbers> readList(NodeContext &n, StringRef name, size_t count) {
  Numbers values = n.intsAttr(name).value_or(Numbers(count, 0));
  if (values.size() != count)
    return n.error() << name << " has " << values.size() << " elements, expected " << count;
  return values;
}

/// Checks an axis of a tensor with `rank` dimensions and a direction: 0 is forwards, 1 is backwards.
FailureOr<Way> readDirection(NodeContext &n, int64_t axis, int64_t direction, int64_t rank) {
  FailureOr<int64_t> positive = n.axis(axis, rank);
  if (failed(positive))
    return failure();
  if (direction != 0 && direction != 1)
    return n.error() << "a direction is " << direction << ", expected 0 or 1";
  return Way{*positive, direction == 1};
}

/// The operands and attributes of a Scan.
struct Scan {
  const Graph *body;
  SmallVector<Value> states, inputs;    // the initial values of the states, and the scan inputs
  SmallVector<Way> ways;                // one for each scan input
  Numbers outputAxes, outputDirections; // one for each scan output; direction 1 is backwards
  int64_t steps = 0;
};

FailureOr<Scan> readScan(NodeContext &n) {
  Scan scan;
  ArrayRef<Value> operands = n.operands();
  int64_t scanned = n.intAttr("num_scan_inputs", 0), count = operands.size(), outputs = n.node.outputs.size();
  if (scanned < 1 || scanned > count || llvm::is_contained(operands, Value()))
    return n.error() << "num_scan_inputs is " << scanned << ", expected 1 to " << count
                     << ", the number of inputs, which must all be present";
  int64_t states = count - scanned;
  if (outputs < states)
    return n.error() << "expected at least " << states << " outputs, one for each state, found " << outputs;
  FailureOr<const Graph *> body = n.graphAttr("body", count, outputs);
  if (failed(body))
    return failure();
  if (!*body)
    return n.error() << "attribute 'body' is missing";
  FailureOr<Numbers> axes = readList(n, "scan_input_axes", scanned);
  FailureOr<Numbers> directions = readList(n, "scan_input_directions", scanned);
  FailureOr<Numbers> outputAxes = readList(n, "scan_output_axes", outputs - states);
  FailureOr<Numbers> outputDirections = readList(n, "scan_output_directions", outputs - states);
  if (failed(axes) || failed(directions) || failed(outputAxes) || failed(outputDirections))
    return failure();
  scan.body = *body;
  scan.states.assign(operands.begin(), operands.begin() + states);
  scan.inputs.assign(operands.begin() + states, operands.end());
  scan.outputAxes = *outputAxes, scan.outputDirections = *outputDirections;
  for (auto [i, input] : llvm::enumerate(scan.inputs)) {
    FailureOr<Way> way = readDirection(n, (*axes)[i], (*directions)[i], rankOf(input));
    if (failed(way))
      return failure();
    scan.ways.push_back(*way);
    FailureOr<int64_t> steps = requireNumber(n, shapeOf(input)[way->axis], "the number of steps");
    if (failed(steps))
      return failure();
    if (i > 0 && *steps != scan.steps)
      return n.error() << "all scan inputs must have the same number of steps, found " << scan.steps << " and "
                       << *steps;
    scan.steps = *steps;
  }
  if (scan.steps < 1 || scan.steps > maxSteps)
    return n.error() << scan.steps << " steps are not supported, expected 1 to " << maxSteps;
  return scan;
}

/// Returns the slice of a scan input at step `step`, without the scanned axis.
Value elementAt(Emitter &b, Value input, Way way, int64_t step) {
  Shape shape(shapeOf(input));
  Dim at = way.backwards ? shape[way.axis] - 1 - step : Dim(step);
  shape.erase(shape.begin() + way.axis);
  return b.reshape(b.slice(input, way.axis, at, 1), shape);
}

LogicalResult convertScan(NodeContext &n) {
  FailureOr<Scan> scan = readScan(n);
  if (failed(scan))
    return failure();
  SmallVector<Value> states = scan->states;
  SmallVector<SmallVector<Value>> elements(scan->outputAxes.size());
  for (int64_t step = 0; step < scan->steps; ++step) {
    SmallVector<Value> arguments = states;
    for (auto [input, way] : llvm::zip_equal(scan->inputs, scan->ways))
      arguments.push_back(elementAt(n.b, input, way, step));
    FailureOr<SmallVector<Value>> results = n.model.inlineGraph(*scan->body, arguments);
    if (failed(results))
      return failure();
    for (auto [i, result] : llvm::enumerate(*results)) {
      Value before = i < states.size() ? states[i] : step ? elements[i - states.size()].front() : result;
      if (result.getType() != before.getType())
        return n.error() << "output " << i << " of the body must be " << typeText(before) << " in each step, found "
                         << typeText(result);
      if (i < states.size())
        states[i] = result;
      else
        elements[i - states.size()].push_back(result);
    }
  }
  for (auto [i, state] : llvm::enumerate(states))
    (void)n.yield(i, state);
  for (auto [i, parts] : llvm::enumerate(elements)) {
    FailureOr<Way> way = readDirection(n, scan->outputAxes[i], scan->outputDirections[i], rankOf(parts.front()) + 1);
    if (failed(way))
      return failure();
    Shape shape(shapeOf(parts.front()));
    shape.insert(shape.begin() + way->axis, 1);
    for (Value &part : parts)
      part = n.b.reshape(part, shape);
    if (way->backwards)
      std::reverse(parts.begin(), parts.end());
    (void)n.yield(states.size() + i, n.b.concat(parts, way->axis));
  }
  return success();
}

} // namespace

void heddle::onnx::addScanOps(OpTable &table) { table["Scan"] = {convertScan, 1, variadic, 9}; }
