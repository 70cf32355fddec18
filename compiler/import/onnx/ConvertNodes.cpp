//===- ConvertNodes.cpp - conversion of a graph's nodes -------------------===//

#include "Converter.h"
#include "OpTable.h"

#include "sizes/SizeScope.h"

#include "Heddle.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

/// A tensor of floats, or of integers of 4 or 8 bits, in a Constant node or in a body (a graph in an attribute of a
/// node) becomes a constant in the IR if it has at most this number of elements, so that patterns can match its value.
/// A larger tensor becomes a weight. Of the initializers of the model's graph with such elements, only those with at
/// most one element become constants.
static constexpr int64_t largestInlineTensor = 64;

/// The maximum number of nodes that are inlined from graphs in attributes. Such graphs may be inlined many times and
/// contain one another.
static constexpr int64_t maxInlinedNodes = 20000;

/// Adds a tensor of the file to the function and returns its value. The tensor becomes a constant if it has at most
/// `largestInline` elements; otherwise it becomes a weight. For bools and for integers of 32 or 64 bits, the limit is
/// `foldLimit` instead.
FailureOr<Value> Converter::storeTensor(const TensorData &tensor, int64_t largestInline) {
  Emitter b(NameLoc::get(StringAttr::get(&context, tensor.name), loc), &func.front(), model.weights, foldedBytes);
  int64_t count = tensor.type.getNumElements();
  bool few = isa<FloatType>(tensor.type.getElementType()) || tensor.small;
  if (count <= (few ? largestInline : foldLimit))
    return b.constant(tensor.small ? floatsOf(tensor) : fromBytes(tensor.type, tensor.bytes));
  const StoredTensor *stored = model.weights.find(tensor.name);
  // If the node is inlined several times, the tensor is already stored.
  bool isSame = stored && stored->type == tensor.type && stored->bytes.data() == tensor.bytes.data();
  if (!isSame && !model.weights.add(tensor.name, tensor.type, tensor.bytes, tensor.keepAlive))
    return emitError(loc) << "tensor '" << tensor.name << "' cannot be stored: another tensor has the same name";
  auto weight = WeightOp::create(b, tensor.type, b.getStringAttr(tensor.name), b.getArrayAttr({}));
  return tensor.small ? storedIntegers(b, weight, tensor.small) : Value(weight);
}

/// Stores a tensor of a node or of its body. The tensor is stored only once, even if the node is copied because a
/// function or a body is inlined several times.
FailureOr<Value> Converter::storeNodeTensor(TensorData tensor) {
  auto [first, isNew] = nodeTensors.try_emplace({tensor.bytes.data(), tensor.type}, tensor.name);
  if (!isNew)
    tensor.name = first->second;
  return storeTensor(tensor, largestInlineTensor);
}

/// Returns the value with this name. An initializer is added to the function at its first use. Fails without an error
/// if there is no value with this name.
FailureOr<Value> Converter::lookUp(StringRef name) {
  if (Value value = values.lookup(name))
    return value;
  auto it = initializers.find(name);
  if (it == initializers.end())
    return failure();
  FailureOr<Value> value = storeTensor(*it->second, /*largestInline=*/1);
  if (succeeded(value)) {
    values[name] = *value;
    small.set(name, it->second->small);
  }
  return value;
}

/// Emits the operations of a node and defines its results. Emits an error if the node is invalid or not supported.
LogicalResult Converter::convertNode(const Node &node) {
  int64_t version = node.version;
  auto error = [&] {
    return emitError(loc) << "node '" << node.name << "' (" << node.opType << ", "
                          << (node.domain.empty() ? "opset" : node.domain) << " " << version << "): ";
  };
  const OpEntry &op = *findOperator(node.domain, node.opType); // not null: `run` has called checkOperators (OpTable.h)
  if (node.outputs.empty())
    return error() << "the node has no outputs";
  if (node.inputs.size() > op.maxInputs)
    return error() << "expected at most " << op.maxInputs << " inputs, found " << node.inputs.size();

  SmallVector<Value> inputs;
  for (const std::string &name : node.inputs) {
    if (name.empty()) {
      inputs.push_back({});
      continue;
    }
    bool exists = values.count(name) || initializers.count(name);
    if (!exists)
      return error() << "input '" << name
                     << "' is defined nowhere before this node (missing, out of order, or a cycle)";
    FailureOr<Value> value = lookUp(name);
    if (failed(value))
      return failure();
    inputs.push_back(*value);
  }
  for (unsigned i = 0; i < op.minInputs; ++i)
    if (i >= inputs.size() || !inputs[i])
      return error() << "input " << i << " is missing; the number of required inputs is " << op.minInputs;

  Emitter b(NameLoc::get(StringAttr::get(&context, node.name), loc), &func.front(), model.weights, foldedBytes);
  ModelAccess access{[&](const TensorData &tensor) { return storeNodeTensor(tensor); },
                     [&](const Graph &body, ArrayRef<Value> values) { return inlineGraph(node, body, values); }, small};
  NodeContext n(loc, node, version, b, ranges, notes, access, std::move(inputs));
  if (failed(checkSmallOperands(n, op.small)))
    return failure();
  if (SizeScope *sizes = SizeScope::current())
    sizes->setPlace("node '" + node.name + "' (" + node.opType + ")");
  LogicalResult converted = op.convert(n);
  // Errors about sizes are reported first, since they may cause all other errors.
  if (failed(n.checkSizes()) || failed(converted) || failed(n.checkAttributes()))
    return failure();
  if (foldedBytes > foldBudget)
    return error() << "the constants computed so far take more than " << (foldBudget >> 20) << " MiB";
  return defineResults(n);
}

/// Converts the nodes of `body`, a graph in an attribute of `node`, and returns the values of the body's outputs.
/// `arguments` are the values of its inputs. Names that the body defines are visible only within the body. The body may
/// use all names that are visible at `node`.
FailureOr<Converter::Values> Converter::inlineGraph(const Node &node, const Graph &body, ArrayRef<Value> arguments) {
  auto error = [&] { return emitError(loc) << "node '" << node.name << "' (" << node.opType << "): its graph "; };
  std::vector<std::string> defined;
  auto define = [&](const std::string &name, Value value) {
    if (initializers.count(name) || !values.try_emplace(name, value).second)
      return false;
    defined.push_back(name);
    return true;
  };
  auto convert = [&]() -> FailureOr<SmallVector<Value>> {
    for (auto [port, argument] : llvm::zip_equal(body.inputs, arguments))
      if (!define(port.name, argument))
        return error() << "has an input '" << port.name << "' that has the name of an earlier value";
    for (TensorData tensor : body.initializers) {
      std::string name = tensor.name;
      tensor.name = node.name + "/" + name;
      FailureOr<Value> value = storeNodeTensor(tensor);
      if (failed(value))
        return failure();
      if (!define(name, *value))
        return error() << "has an initializer '" << name << "' that has the name of an earlier value";
      small.set(name, tensor.small);
    }
    for (const Node &inner : body.nodes) {
      if (++inlinedNodes > maxInlinedNodes)
        return error() << "expands to more than " << maxInlinedNodes << " nodes";
      if (failed(convertNode(inner)))
        return failure();
      defined.insert(defined.end(), inner.outputs.begin(), inner.outputs.end());
    }
    SmallVector<Value> results;
    for (const Port &port : body.outputs) {
      if (!values.count(port.name))
        return error() << "has an output '" << port.name << "' that no node computes";
      results.push_back(values.lookup(port.name));
    }
    return results;
  };
  FailureOr<SmallVector<Value>> results = convert();
  for (const std::string &name : defined)
    values.erase(name);
  return results;
}

/// Refuses operands with integers of 4 or 8 bits if the operator does not support such integers. The importer
/// represents them by floats, so the operator would treat them as floats. If the operator only moves elements, sets the
/// element types of the results.
LogicalResult Converter::checkSmallOperands(NodeContext &n, SmallUse use) {
  if (use == SmallUse::Supported)
    return success();
  for (size_t i = 0; i < n.node.inputs.size(); ++i)
    if (IntegerType type = n.smallType(i); type && (use == SmallUse::None || type != n.smallType(0)))
      return n.error() << "elements of " << type << " are not supported here (input " << i << ")";
  if (use == SmallUse::Unchanged && n.smallType(0)) {
    bool isConcat = n.node.opType == "Concat";
    for (size_t i = 1; isConcat && i < n.node.inputs.size(); ++i)
      if (!n.smallType(i))
        return n.error() << "operands must have the same element type, but input " << i << " and input 0 differ";
    n.smallResults.assign(n.node.outputs.size(), n.smallType(0));
  }
  return success();
}

/// Stores the results of a node in `values` under the names of its outputs.
LogicalResult Converter::defineResults(NodeContext &n) {
  auto isEmpty = [](Value value) { return value && onnx::isEmpty(shapeOf(value)); };
  for (auto [i, name] : llvm::enumerate(n.node.outputs)) {
    if (name.empty())
      continue;
    Value value = n.results[i];
    if (!value)
      return n.error() << "output " << i << " ('" << name << "') is not supported";
    if (failed(n.checkShape(shapeOf(value))))
      return failure();
    bool isStored = Emitter::constantOf(value) || value.getDefiningOp<WeightOp>();
    if (isEmpty(value)) // an empty tensor becomes a constant
      value = n.b.constant(fromBytes(cast<RankedTensorType>(value.getType()), {}));
    else if (!isStored && isEmpty(n.in(0)) && n.node.opType != "Concat" && options.bounds.empty())
      return n.error() << "an operand without elements is not supported";
    if (initializers.count(name) || !values.try_emplace(name, value).second)
      return n.error() << "output '" << name << "' has the name of an earlier value";
    small.set(name, n.smallResults[i]);
  }
  return success();
}
