//===- NodeContext.cpp - the interface for converting a node --------------===//

#include "NodeContext.h"

#include "sizes/SizedTensor.h"
#include "sizes/SizeScope.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

std::string heddle::onnx::shapeText(ArrayRef<int64_t> shape) { return shapeText(Shape(shape)); }

std::string heddle::onnx::shapeText(ArrayRef<Dim> shape) {
  std::string text;
  for (const Dim &extent : shape)
    text += (text.empty() ? "" : "x") + extent.text();
  return "[" + text + "]";
}

std::string heddle::onnx::typeText(Value value) {
  std::string text;
  llvm::raw_string_ostream(text) << elementOf(value);
  return shapeText(shapeOf(value)) + " of " + text;
}

InFlightDiagnostic NodeContext::error() {
  InFlightDiagnostic diagnostic = emitError(loc);
  diagnostic << "node '" << node.name << "' (" << node.opType << ", "
             << (node.domain.empty() ? "opset" : node.domain) << " " << opset << "): ";
  return diagnostic;
}

void NodeContext::remark(StringRef text) {
  if (notes.insert(text).second)
    emitRemark(loc) << text;
}

const NodeAttribute *NodeContext::attr(StringRef name, NodeAttribute::Kind kind) {
  auto it = node.attributes.find(name.str());
  if (it == node.attributes.end())
    return nullptr;
  read.insert(name);
  if (it->second.kind == kind)
    return &it->second;
  static const char *const names[] = {"an int",        "a float", "a string", "a tensor", "a list of ints",
                                      "a list of floats", "a list of strings", "a graph", "another type"};
  if (!attributeError)
    error() << "attribute '" << name << "' has the wrong type: expected "
            << names[static_cast<int>(kind)] << ", found " << names[static_cast<int>(it->second.kind)];
  attributeError = true;
  return nullptr;
}

int64_t NodeContext::intAttr(StringRef name, int64_t otherwise) {
  const NodeAttribute *attribute = attr(name, NodeAttribute::Kind::Int);
  return attribute ? attribute->i : otherwise;
}

double NodeContext::floatAttr(StringRef name, double otherwise) {
  const NodeAttribute *attribute = attr(name, NodeAttribute::Kind::Float);
  return attribute ? attribute->f : otherwise;
}

std::string NodeContext::stringAttr(StringRef name, StringRef otherwise) {
  const NodeAttribute *attribute = attr(name, NodeAttribute::Kind::String);
  return attribute ? attribute->s : otherwise.str();
}

std::optional<Numbers> NodeContext::intsAttr(StringRef name) {
  const NodeAttribute *attribute = attr(name, NodeAttribute::Kind::Ints);
  if (!attribute)
    return std::nullopt;
  return Numbers(attribute->ints.begin(), attribute->ints.end());
}

FailureOr<const Graph *> NodeContext::graphAttr(StringRef name, size_t inputs, size_t outputs) {
  const NodeAttribute *attribute = attr(name, NodeAttribute::Kind::Graph);
  if (!attribute)
    return attributeError ? FailureOr<const Graph *>(failure()) : nullptr;
  const Graph &graph = *attribute->graph;
  if (graph.inputs.size() != inputs || graph.outputs.size() != outputs)
    return error() << "expected a graph '" << name << "' with " << inputs << " inputs and " << outputs
                   << " outputs, found " << graph.inputs.size() << " and " << graph.outputs.size();
  return &graph;
}

LogicalResult NodeContext::checkAttributes() {
  if (attributeError)
    return failure();
  for (const auto &entry : node.attributes)
    if (!read.contains(entry.first))
      return error() << "attribute '" << entry.first << "' is not known for this operator version";
  return success();
}

/// Returns the name of the first node before `value` that computes integers from sizes and whose result is not an
/// expression of sizes. Returns nothing if there is no such node, or if `value` depends on inputs of the model.
static std::optional<std::string> whereSizesAreLost(Value value) {
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitUsesFromAbove = false;
  (void)getBackwardSlice(value, &slice, options);
  Operation *lost = nullptr;
  for (Operation *op : slice) { // in topological order
    auto isInput = [](Value operand) {
      auto argument = dyn_cast<BlockArgument>(operand);
      return argument && argument.getOwner()->getParentOp()->hasTrait<OpTrait::IsIsolatedFromAbove>();
    };
    if (llvm::any_of(op->getOperands(), isInput))
      return std::nullopt;
    bool isInteger = op->getNumResults() == 1 && isa<IntegerType>(getElementTypeOrSelf(op->getResult(0).getType()));
    if (!lost && isInteger && !SizedTensor::of(op->getResult(0)))
      lost = op;
  }
  auto name = lost ? lost->getLoc()->findInstanceOf<NameLoc>() : NameLoc();
  return name ? std::optional(name.getName().str()) : std::nullopt;
}

FailureOr<Shape> NodeContext::integers(size_t i, StringRef what) {
  if (!in(i))
    return error() << "input " << i << " is missing: " << what;
  if (std::optional<Shape> values = Emitter::dimsOf(in(i)))
    return *values;
  if (isFloat(in(i)))
    return error() << what << " must be integers, found " << typeText(in(i));
  InFlightDiagnostic diagnostic = error() << what << " must be known at import, but '" << node.inputs[i];
  if (std::optional<std::string> lost = whereSizesAreLost(in(i)))
    return diagnostic << "' depends on node '" << *lost
                      << "', whose result the importer cannot express in terms of the sizes; if sizes lie in "
                         "ranges, fixed values (--dim NAME=NUMBER) may help";
  return diagnostic << "' depends on the model's inputs";
}

FailureOr<Numbers> NodeContext::numbers(size_t i, StringRef what) {
  FailureOr<Shape> values = integers(i, what);
  if (failed(values))
    return failure();
  if (std::optional<Numbers> numbers = fixedNumbers(*values))
    return *numbers;
  return error() << what << " must be the same for all sizes, found " << shapeText(*values);
}

FailureOr<int64_t> NodeContext::number(size_t i, StringRef what) {
  FailureOr<Dim> value = integer(i, what);
  if (failed(value))
    return failure();
  if (value->isFixed())
    return *value->number();
  return error() << what << " must be the same for all sizes, found " << value->text();
}

FailureOr<Dim> NodeContext::integer(size_t i, StringRef what) {
  FailureOr<Shape> values = integers(i, what);
  if (failed(values))
    return failure();
  if (values->size() != 1)
    return error() << what << " must be one number, found " << values->size() << " numbers";
  return values->front();
}

FailureOr<int64_t> NodeContext::axis(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank)
    return error() << "axis " << axis << " is out of range for rank " << rank;
  return axis < 0 ? axis + rank : axis;
}

FailureOr<Numbers> NodeContext::axes(ArrayRef<int64_t> axes, int64_t rank) {
  Numbers result;
  for (int64_t each : axes) {
    FailureOr<int64_t> positive = axis(each, rank);
    if (failed(positive))
      return failure();
    result.push_back(*positive);
  }
  llvm::sort(result);
  if (std::adjacent_find(result.begin(), result.end()) != result.end())
    return error() << "axes " << shapeText(axes) << " name a dimension twice";
  return result;
}

LogicalResult NodeContext::checkSizes() {
  SizeScope *sizes = SizeScope::current();
  std::optional<std::string> why = sizes ? sizes->takeRefusal() : std::nullopt;
  return why ? error() << *why : success();
}

LogicalResult NodeContext::checkShape(ArrayRef<Dim> shape) {
  if (countElements(shape))
    return success();
  InFlightDiagnostic refusal = error() << "a tensor of shape " << shapeText(shape) << " has ";
  if (shape.size() > maxRank)
    return refusal << "more than " << maxRank << " dimensions";
  for (const Dim &extent : shape)
    if (extent.low() < 0)
      return refusal << "a negative extent, " << extent.text()
                     << (extent.isFixed() ? "" : SizeScope::current()->example(extent.asExpression()));
  return refusal << "too many elements";
}

LogicalResult NodeContext::requireSameElements(ArrayRef<Value> values) {
  for (Value value : values)
    if (elementOf(value) != elementOf(values.front()))
      return error() << "operands must have the same element type, found " << typeText(values.front()) << " and "
                     << typeText(value);
  return success();
}

LogicalResult NodeContext::requireFloat(Value value) {
  if (!isFloat(value))
    return error() << "expected floating-point elements, found " << typeText(value);
  return success();
}

LogicalResult NodeContext::requireInteger(Value value) {
  if (isFloat(value) || elementOf(value).isInteger(1))
    return error() << "expected integer elements, found " << typeText(value);
  return success();
}

LogicalResult NodeContext::requireBool(Value value) {
  if (!elementOf(value).isInteger(1))
    return error() << "expected bool elements, found " << typeText(value);
  return success();
}

FailureOr<Shape> NodeContext::requireBroadcast(ArrayRef<Value> values) {
  Shape shape;
  for (Value value : values) {
    std::optional<Shape> both = broadcastShapes(shape, shapeOf(value));
    if (!both)
      return error() << "shapes " << shapeText(shape) << " and " << shapeText(shapeOf(value))
                     << " do not broadcast";
    shape = *both;
  }
  if (failed(checkShape(shape)))
    return failure();
  return shape;
}
