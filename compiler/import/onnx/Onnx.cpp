//===- Onnx.cpp - imports .onnx files -------------------------------------===//

#include "Onnx.h"

#include "NarrowConstants.h"
#include "OpTable.h"

#include "sizes/Sums.h"
#include "sizes/EmitSizes.h"
#include "sizes/SizeScope.h"

#include "Heddle.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

namespace {

/// Standard operator versions whose meaning is known here. Before 7 broadcasting
/// was an attribute.
constexpr int64_t oldestOpset = 7, newestOpset = 28;

/// Constant nodes of floats up to this size are constants in the IR, which patterns
/// can look at; larger ones are weights, as is every initializer of more than one number.
constexpr int64_t largestInlineTensor = 64;

/// Graphs that are attributes may be inlined many times, by one another, too.
constexpr int64_t mostInlinedNodes = 20000;

} // namespace

namespace heddle::onnx {

class Converter {
public:
  Converter(MLIRContext &context, StringRef path, Graph graph, const ImportOptions &options)
      : context(context), path(path), loc(FileLineColLoc::get(&context, path, 0, 0)), graph(std::move(graph)),
        options(options) {}

  FailureOr<Model> run();

private:
  LogicalResult checkOpsets();
  LogicalResult resolveInputs();
  void createFunction();
  LogicalResult convertNode(const Node &node);
  FailureOr<SmallVector<Value>> inlineGraph(const Node &node, const Graph &body, ArrayRef<Value> arguments);
  LogicalResult defineResults(NodeContext &n);
  LogicalResult returnOutputs();
  void eraseDeadCode();

  FailureOr<Value> lookUp(StringRef name);
  FailureOr<Value> storeTensor(const TensorData &tensor, int64_t largestInline);

  MLIRContext &context;
  std::string path;
  Location loc;
  Graph graph;
  const ImportOptions &options;

  Model model;
  func::FuncOp func;
  std::vector<RankedTensorType> inputTypes;
  llvm::StringMap<Value> values;
  llvm::StringMap<const TensorData *> initializers;
  IndexRanges ranges;
  llvm::StringSet<> notes;
  int64_t foldedBytes = 0, inlinedNodes = 0;
};

LogicalResult Converter::checkOpsets() {
  int64_t version = graph.opsets[""];
  if (version < oldestOpset || version > newestOpset)
    return emitError(loc) << "opset " << version << " is not supported; versions " << oldestOpset << " to "
                          << newestOpset << " are";
  return success();
}

/// Gives every input a static type, with the sizes of open dimensions from the options.
LogicalResult Converter::resolveInputs() {
  std::vector<std::string> known;
  SmallVector<OpenDim> open;
  llvm::StringMap<int64_t> sizes;
  for (Port &port : graph.inputs) {
    if (!port.hasShape)
      return emitError(loc) << "input '" << port.name << "' has no shape";
    for (auto [i, axis] : llvm::enumerate(port.axes)) {
      if (axis.size >= 0)
        continue;
      if (axis.name.empty())
        axis.name = port.name + "." + std::to_string(i);
      if (auto sum = options.sumNames.find(axis.name); sum != options.sumNames.end())
        axis.name = sum->second;
      if (!llvm::is_contained(known, axis.name))
        known.push_back(axis.name);
    }
  }
  for (Port &port : graph.inputs)
    for (auto [i, axis] : llvm::enumerate(port.axes)) {
      if (axis.size >= 0)
        continue;
      bool isSum = false;
      FailureOr<std::optional<int64_t>> size = sizeOfDim(loc, options, axis.name, known, isSum);
      if (failed(size))
        return failure();
      if (!*size && !isSum)
        addOpenDim(open, axis.name, {port.name, i, port.axes.size()});
      sizes[axis.name] = size->value_or(0);
    }
  if (failed(checkDimNames(loc, options, known)) || failed(reportOpenDims(loc, options, open)))
    return failure();

  for (Port &port : graph.inputs) {
    Numbers shape, most;
    for (Port::Axis &axis : port.axes) {
      shape.push_back(axis.size >= 0 ? axis.size : sizes.lookup(axis.name));
      most.push_back(dimOf(shape.back()).high());
    }
    if (!countElements(ArrayRef<int64_t>(most)) || (llvm::is_contained(shape, 0) && !options.mayBeEmpty))
      return emitError(loc) << "input '" << port.name << "' has shape " << shapeText(shape)
                            << ": every size must be positive and the tensor not too large";
    inputTypes.push_back(RankedTensorType::get(shape, port.element));
  }
  return success();
}

void Converter::createFunction() {
  OpBuilder b(&context);
  model.module = ModuleOp::create(loc);
  b.setInsertionPointToEnd(model.module->getBody());
  SmallVector<Type> types(inputTypes.begin(), inputTypes.end());
  func = func::FuncOp::create(b, loc, "main", b.getFunctionType(types, {}));
  Block *body = func.addEntryBlock();
  for (auto [i, port] : llvm::enumerate(graph.inputs)) {
    notes::name.set(func, i, port.name);
    Strings dims;
    for (Port::Axis &axis : port.axes)
      dims.push_back(axis.size >= 0 ? StringRef() : StringRef(axis.name));
    if (llvm::any_of(dims, [](StringRef name) { return !name.empty(); }))
      notes::dims.set(func, i, dims);
    values[port.name] = body->getArgument(i);
  }
}

FailureOr<Value> Converter::storeTensor(const TensorData &tensor, int64_t largestInline) {
  Emitter b(NameLoc::get(StringAttr::get(&context, tensor.name), loc), &func.front(), model.weights, foldedBytes);
  int64_t count = tensor.type.getNumElements();
  bool inlined = isa<FloatType>(tensor.type.getElementType()) ? count <= largestInline : count <= foldLimit;
  if (inlined)
    return b.constant(fromBytes(tensor.type, tensor.bytes));
  const StoredTensor *stored = model.weights.find(tensor.name);
  bool isSame = stored && stored->type == tensor.type && stored->bytes.data() == tensor.bytes.data();
  if (!isSame && !model.weights.add(tensor.name, tensor.type, tensor.bytes, tensor.keepAlive))
    return emitError(loc) << "tensor '" << tensor.name << "' cannot be stored: its name is taken";
  return Value(WeightOp::create(b, tensor.type, b.getStringAttr(tensor.name), b.getArrayAttr({})));
}

/// The value called `name`; an initializer enters the function where it is first used.
FailureOr<Value> Converter::lookUp(StringRef name) {
  if (Value value = values.lookup(name))
    return value;
  auto it = initializers.find(name);
  if (it == initializers.end())
    return failure();
  FailureOr<Value> value = storeTensor(*it->second, /*largestInline=*/1);
  if (succeeded(value))
    values[name] = *value;
  return value;
}

LogicalResult Converter::convertNode(const Node &node) {
  int64_t version = graph.opsetOf(node);
  auto error = [&] {
    return emitError(loc) << "node '" << node.name << "' (" << node.opType << ", "
                          << (node.domain.empty() ? "opset" : node.domain) << " " << version << "): ";
  };
  const OpEntry &op = *findOperator(node.domain, node.opType); // checkOperators() has found it
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
      return error() << "input " << i << " is missing; the operator needs " << op.minInputs;

  Emitter b(NameLoc::get(StringAttr::get(&context, node.name), loc), &func.front(), model.weights, foldedBytes);
  ModelAccess access{[&](const TensorData &tensor) { return storeTensor(tensor, largestInlineTensor); },
                     [&](const Graph &body, ArrayRef<Value> values) { return inlineGraph(node, body, values); }};
  NodeContext n(loc, node, version, b, ranges, notes, access, std::move(inputs));
  if (SizeScope *sizes = SizeScope::current())
    sizes->setPlace("node '" + node.name + "' (" + node.opType + ")");
  LogicalResult converted = op.convert(n);
  // What a node asked of sizes comes first: what it made of another answer may be wrong, too.
  if (failed(n.checkSizes()) || failed(converted) || failed(n.checkAttributes()))
    return failure();
  if (foldedBytes > foldBudget)
    return error() << "the constants computed so far take more than " << (foldBudget >> 20) << " MiB";
  return defineResults(n);
}

/// Names that the body defines are known within it alone; it may use all that are known where its node is. Its tensors
/// are stored once, however often it is inlined.
FailureOr<SmallVector<Value>> Converter::inlineGraph(const Node &node, const Graph &body, ArrayRef<Value> arguments) {
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
      FailureOr<Value> value = storeTensor(tensor, largestInlineTensor);
      if (failed(value))
        return failure();
      if (!define(name, *value))
        return error() << "has an initializer '" << name << "' that has the name of an earlier value";
    }
    for (const Node &inner : body.nodes) {
      if (++inlinedNodes > mostInlinedNodes)
        return error() << "makes more than " << mostInlinedNodes << " nodes of the model";
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
    if (isEmpty(value)) // all its elements are known
      value = n.b.constant(fromBytes(cast<RankedTensorType>(value.getType()), {}));
    else if (!isStored && isEmpty(n.in(0)) && n.node.opType != "Concat" && options.bounds.empty())
      return n.error() << "an operand without elements is not supported";
    if (initializers.count(name) || !values.try_emplace(name, value).second)
      return n.error() << "output '" << name << "' has the name of an earlier value";
  }
  return success();
}

LogicalResult Converter::returnOutputs() {
  OpBuilder b = OpBuilder::atBlockEnd(&func.front());
  SmallVector<Value> results;
  llvm::StringSet<> names;
  for (const Port &port : graph.outputs) {
    if (!names.insert(port.name).second)
      return emitError(loc) << "output '" << port.name << "' appears twice";
    if (!values.count(port.name) && !initializers.count(port.name))
      return emitError(loc) << "output '" << port.name << "' is not computed by any node";
    FailureOr<Value> value = lookUp(port.name);
    if (failed(value))
      return failure();
    if (elementOf(*value) != port.element)
      return emitError(loc) << "output '" << port.name << "' is declared with elements of " << port.element
                            << ", but its node computes " << typeText(*value);
    Shape shape = shapeOf(*value);
    if (isEmpty(shape) && (options.bounds.empty() || SizeScope::current())) // of a size in a range it may be at some
      return emitError(loc) << "output '" << port.name << "' is empty: " << typeText(*value);
    bool fits = !port.hasShape || shape.size() == port.axes.size();
    for (size_t i = 0; fits && i < port.axes.size() && port.hasShape; ++i)
      fits = port.axes[i].size < 0 || shape[i] == port.axes[i].size;
    if (!fits)
      return emitError(loc) << "output '" << port.name << "' is declared with another shape than "
                            << shapeText(shape) << ", which its node computes";
    results.push_back(*value);
  }
  func::ReturnOp::create(b, loc, results);
  func.setFunctionType(b.getFunctionType(func.getArgumentTypes(), TypeRange(ValueRange(results))));
  for (auto [i, port] : llvm::enumerate(graph.outputs))
    notes::name.setOfResult(func, i, port.name);
  return success();
}

void Converter::eraseDeadCode() {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(func.front())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

FailureOr<Model> Converter::run() {
  if (failed(checkOpsets()) || failed(checkOperators(loc, graph)) || failed(resolveInputs()))
    return failure();
  createFunction();
  for (const TensorData &tensor : graph.initializers)
    initializers[tensor.name] = &tensor;
  if (values.size() != graph.inputs.size())
    return emitError(loc) << "two inputs have the same name";
  for (const Node &node : graph.nodes)
    if (failed(convertNode(node)))
      return failure();
  if (failed(returnOutputs()))
    return failure();
  if (SizeScope *sizes = SizeScope::current(); sizes && sizes->wantsOthers())
    return failure(); // types do not fit together with these numbers
  eraseDeadCode();
  lowerSizes(func);
  narrowConstants(func);
  eraseDeadCode();
  if (failed(verify(*model.module)))
    return emitError(loc) << "the importer made an invalid module";
  return std::move(model);
}

} // namespace heddle::onnx

FailureOr<heddle::Model> heddle::importOnnx(MLIRContext &context, StringRef path, const ImportOptions &options) {
  Location loc = FileLineColLoc::get(&context, path, 0, 0);
  FailureOr<Graph> graph = readGraph(loc, path, checkQuantised);
  if (failed(graph))
    return failure();
  return Converter(context, path, std::move(*graph), options).run();
}
