//===- Onnx.cpp - imports .onnx files -------------------------------------===//

#include "Onnx.h"

#include "Converter.h"
#include "NarrowConstants.h"
#include "OpTable.h"

#include "sizes/EmitSizes.h"
#include "sizes/HiddenSize.h"
#include "sizes/SizeScope.h"

#include "heddle/InputFile.h"
#include "heddle/ModelDigest.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

/// The range of supported versions of the standard operators. Before version 7, operators did not follow numpy's rules
/// for broadcasts; an attribute determined how they broadcast.
static constexpr int64_t oldestOpset = 7, newestOpset = 28;

/// Emits an error if a node uses an unsupported version of the standard operators. The nodes of a function use the
/// version that the function imports.
static LogicalResult checkVersions(Location loc, const Graph &graph) {
  for (const Node &node : graph.nodes) {
    for (const auto &[name, attribute] : node.attributes)
      if (attribute.graph && failed(checkVersions(loc, *attribute.graph)))
        return failure();
    if (!node.domain.empty() || (node.version >= oldestOpset && node.version <= newestOpset))
      continue;
    InFlightDiagnostic error = emitError(loc) << "node '" << node.name << "' (" << node.opType
                                              << "): the function that contains this node ";
    if (node.version == 0)
      return error << "does not declare the version of the standard operators (opset_import)";
    return error << "uses opset " << node.version << ", which is not supported; versions " << oldestOpset << " to "
                 << newestOpset << " are";
  }
  return success();
}

LogicalResult Converter::checkOpsets() {
  int64_t version = graph.opsets[""];
  if (version < oldestOpset || version > newestOpset)
    return emitError(loc) << "opset " << version << " is not supported; versions " << oldestOpset << " to "
                          << newestOpset << " are";
  return checkVersions(loc, graph);
}

/// With the option --state, turns the past of the model into states.
LogicalResult Converter::keepPast() {
  if (!options.state)
    return success();
  for (const Port &input : graph.inputs)
    replacedInputs.push_back(input.name);
  if (failed(options.hidden ? keepGrowingInputs() : keepStates(loc, graph, states)))
    return failure();
  llvm::erase_if(replacedInputs, [&](StringRef name) {
    return llvm::any_of(graph.inputs, [&](const Port &input) { return input.name == name; });
  });
  return success();
}

/// Turns a past that grows from call to call into states.
LogicalResult Converter::keepGrowingInputs() {
  FailureOr<GrowingPast> past = findGrowingPast(loc, graph);
  if (failed(past) || failed(keepGrowingPast(loc, graph, *past, derivedInputs)))
    return failure();
  for (const DerivedInput &input : derivedInputs)
    emitRemark(loc) << "--state: '" << input.port.name << "' is no longer an input: "
                    << (input.kind == DerivedInput::Ones
                            ? "all filled positions and all new tokens are valid; if padding follows the tokens of a "
                              "sequence, do not include the padding in its 'past' in the next call"
                            : "the positions of the new tokens begin at 'past'");
  return success();
}

void Converter::eraseDeadCode() {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(func.front())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

FailureOr<Model> Converter::run() {
  if (failed(checkOpsets()) || failed(checkOperators(loc, graph)) || failed(keepPast()) || failed(resolveInputs()) ||
      failed(createFunction()))
    return failure();
  for (const TensorData &tensor : graph.initializers)
    initializers[tensor.name] = &tensor;
  if (failed(computeDerivedInputs()))
    return failure();
  for (const Node &node : graph.nodes)
    if (failed(convertNode(node)))
      return failure();
  if (failed(returnOutputs()))
    return failure();
  if (SizeScope *sizes = SizeScope::current(); sizes && sizes->needsOtherPlaceholders())
    // The module may be invalid with these placeholders. The caller then imports the model again with others.
    return failure();
  eraseDeadCode();
  lowerSizes(func);
  narrowConstants(func);
  eraseDeadCode();
  if (failed(verify(*model.module)))
    return emitError(loc) << "the importer built an invalid module, which is an error in Heddle";
  return std::move(model);
}

/// Emits a remark with the names of inputs that are imported as constants. Emits an error if --as-input has a name that
/// is not the name of an input.
static LogicalResult checkInputs(Location loc, const Graph &graph, const ImportTask &options) {
  for (const std::string &name : options.asInputs) {
    if (llvm::any_of(graph.inputs, [&](const Port &port) { return port.name == name; }))
      continue;
    options.setWrongUsage();
    return emitError(loc) << "--as-input " << name << ": no input of the model has this name";
  }
  if (graph.constantInputs.empty())
    return success();
  constexpr size_t maxNames = 3;
  InFlightDiagnostic remark = emitRemark(loc) << "inputs that have initializers are constants: ";
  llvm::interleaveComma(ArrayRef(graph.constantInputs).take_front(maxNames), remark,
                        [&](StringRef name) { remark << "'" << name << "'"; });
  if (graph.constantInputs.size() > maxNames)
    remark << " and " << graph.constantInputs.size() - maxNames << " more";
  remark << "; --as-input NAME makes one an input";
  return success();
}

/// After a failed import, emits a remark for each input that has an initializer but was imported as an input because of
/// the user's options. The import might succeed if the initializer were a constant.
static void explainInputs(Location loc, ArrayRef<std::string> names) {
  for (StringRef name : names)
    emitRemark(loc) << "'" << name << "' has an initializer, and is an input because --as-input or the file of inputs "
                    << "contains its name";
}

FailureOr<heddle::Model> heddle::importOnnx(MLIRContext &context, StringRef path, const ImportTask &options) {
  Location loc = FileLineColLoc::get(&context, path, 0, 0);
  std::vector<std::string> asInputs = options.asInputs;
  asInputs.insert(asInputs.end(), options.given.begin(), options.given.end());
  FailureOr<Graph> graph = readGraph(loc, path, {isOperator, checkQuantised, asInputs});
  if (failed(graph) || failed(checkInputs(loc, *graph, options)))
    return failure();
  std::vector<std::shared_ptr<llvm::MemoryBuffer>> files = std::move(graph->dataFiles);
  std::vector<std::string> givenInputs = graph->givenInputs;
  FailureOr<Model> model = Converter(context, path, std::move(*graph), options).run();
  if (failed(model))
    explainInputs(loc, givenInputs);
  if (succeeded(model) && options.state) {
    llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> file = readRegularFile(path);
    if (!file)
      return emitError(loc) << llvm::toString(file.takeError());
    files.push_back(std::move(*file));
    // The hash that identifies a model with states depends on the bytes of the ONNX file and of its data files.
    model->identify = [files = std::move(files)] {
      ModelDigest digest;
      for (const std::shared_ptr<llvm::MemoryBuffer> &file : files)
        digest.add(file->getBuffer());
      return digest.get();
    };
  }
  return model;
}

FailureOr<GrowingSizes> heddle::findGrowingPast(MLIRContext &context, StringRef path) {
  Location loc = FileLineColLoc::get(&context, path, 0, 0);
  FailureOr<Graph> graph = readGraph(loc, path, {isOperator, checkQuantised});
  FailureOr<GrowingPast> past = failed(graph) ? FailureOr<GrowingPast>(failure()) : findGrowingPast(loc, *graph);
  if (failed(past))
    return failure();
  return GrowingSizes{past->size, past->rows.name, past->rows.size};
}
