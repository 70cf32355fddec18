//===- FunctionTable.cpp - the functions of an ONNX file ------------------===//

#include "FunctionTable.h"
#include "GraphReader.h"
#include "LaterFields.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

/// Returns the name of a function for messages: "local.norm", or "local.norm:overload".
static std::string nameOf(const std::string &domain, const std::string &name, const std::string &overload) {
  return (domain.empty() ? "" : domain + ".") + name + (overload.empty() ? "" : ":" + overload);
}

/// Returns a key that is unique to a function. The result of nameOf() is not unique, since names may contain "." and
/// ":".
static std::string keyOf(const std::string &domain, const std::string &name, const std::string &overload) {
  return domain + std::string(1, '\0') + name + std::string(1, '\0') + overload;
}

LogicalResult FunctionTable::index() {
  for (const auto &function : file.model.functions()) {
    std::string domain = domainOf(function.domain()), overload = overloadOf(function);
    if (function.name().empty())
      return emitError(loc) << "a function of the model has no name";
    if (!entries.try_emplace(keyOf(domain, function.name(), overload), Entry{&function, {}}).second)
      return emitError(loc) << "the model has function '" << nameOf(domain, function.name(), overload) << "' twice";
  }
  return success();
}

FailureOr<const Function *> FunctionTable::find(const Node &node) {
  auto entry = entries.find(keyOf(node.domain, node.opType, node.overload));
  if (entry == entries.end()) {
    if (node.overload.empty())
      return nullptr;
    return emitError(loc) << "node '" << node.name << "' calls function '"
                          << nameOf(node.domain, node.opType, node.overload) << "', which the model does not contain";
  }
  std::optional<Function> &function = entry->second.function;
  if (!function) {
    FailureOr<Function> read = this->read(*entry->second.source, nameOf(node.domain, node.opType, node.overload));
    if (failed(read))
      return failure();
    function = std::move(*read);
  }
  return &*function;
}

FailureOr<Function> FunctionTable::read(const ::onnx::FunctionProto &source, std::string name) {
  auto error = [&] { return emitError(loc) << "function '" << name << "': "; };
  Function function;
  function.name = name;
  function.inputs.assign(source.input().begin(), source.input().end());
  function.outputs.assign(source.output().begin(), source.output().end());
  auto noStep = [](Location, Graph &) { return success(); };
  GraphReader reader(loc, tensors, readOpsets(source.opset_import()), GraphReader::Kind::Function, noStep);
  FailureOr<std::vector<Node>> nodes = reader.readNodes(source.node());
  std::optional<std::list<::onnx::AttributeProto>> defaults = defaultsOf(source);
  if (failed(nodes))
    return failure();
  if (!defaults)
    return error() << "the default of an attribute cannot be read";
  function.nodes = std::move(*nodes);
  function.attributes.insert(source.attribute().begin(), source.attribute().end());
  for (const ::onnx::AttributeProto &proto : *defaults) {
    file.defaults.push_back(proto); // the tensors of the attribute refer to this message, so it must remain in memory
    FailureOr<NodeAttribute> attribute = reader.readAttribute(file.defaults.back(), "function '" + name + "'");
    if (failed(attribute))
      return failure();
    if (!attribute->reference.empty())
      return error() << "the default of attribute '" << proto.name() << "' refers to another attribute";
    if (!function.defaults.emplace(proto.name(), std::move(*attribute)).second)
      return error() << "attribute '" << proto.name() << "' appears twice";
    function.attributes.insert(proto.name());
  }
  if (std::string wrong = function.verify(); !wrong.empty())
    return error() << wrong;
  return function;
}

/// Adds the names of all values of the graph and of the graphs in attributes of its nodes.
static void addNames(const ::onnx::GraphProto &graph, llvm::StringSet<> &names) {
  for (const auto &port : graph.input())
    names.insert(port.name());
  for (const auto &tensor : graph.initializer())
    names.insert(tensor.name());
  for (const auto &node : graph.node()) {
    names.insert_range(node.input());
    names.insert_range(node.output());
    for (const auto &attribute : node.attribute())
      if (attribute.has_g())
        addNames(attribute.g(), names);
  }
  for (const auto &port : graph.output())
    names.insert(port.name());
}

llvm::StringSet<> heddle::onnx::namesOf(const ::onnx::GraphProto &graph) {
  llvm::StringSet<> names;
  addNames(graph, names);
  return names;
}
