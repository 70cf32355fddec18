//===- InlineFunctions.cpp - inlines functions of an ONNX file ------------===//

#include "InlineFunctions.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace heddle::onnx;

/// The maximum nesting of functions and graphs, the maximum number of copied nodes, and their maximum total size in
/// bytes. A small malicious file with nested calls could otherwise expand to any number of nodes.
static constexpr size_t maxDepth = 64, maxNodes = 100000, maxBytes = size_t(256) << 20;
/// The maximum length, in bytes, of the part of a call's name that becomes the prefix of names in its function.
static constexpr size_t longestPrefix = 1000;

/// The version of the inserted Identity nodes. Identity has the same meaning in all supported versions.
static constexpr int64_t identityVersion = 13;

/// Calls `use` with the name of each value that the graph and its nested graphs define: inputs, initializers and
/// results of nodes.
template <typename Use> static void forEachDefined(const Graph &graph, Use use) {
  for (const Port &port : graph.inputs)
    use(port.name);
  for (const TensorData &tensor : graph.initializers)
    use(tensor.name);
  for (const Node &node : graph.nodes) {
    llvm::for_each(node.outputs, use);
    for (const auto &[name, attribute] : node.attributes)
      if (attribute.graph)
        forEachDefined(*attribute.graph, use);
  }
}

/// Adds the names of the values that a node reads, including the values that its nested graphs read.
static void addReads(const Node &node, llvm::StringSet<> &names) {
  names.insert_range(node.inputs);
  for (const auto &[name, attribute] : node.attributes)
    if (attribute.graph) {
      for (const Node &inner : attribute.graph->nodes)
        addReads(inner, names);
      for (const Port &port : attribute.graph->outputs)
        names.insert(port.name);
    }
}

std::string Function::verify() const {
  llvm::StringSet<> formal, own;
  for (const std::string &input : inputs)
    if (input.empty() || !formal.insert(input).second)
      return input.empty() ? "an input has no name" : "input '" + input + "' appears twice";
  std::string wrong;
  auto define = [&](const std::string &name) {
    if (wrong.empty() && formal.contains(name))
      wrong = "its input '" + name + "' is computed again within it";
  };
  for (const Node &node : nodes) {
    own.insert_range(node.outputs);
    llvm::for_each(node.outputs, define);
    for (const auto &[name, attribute] : node.attributes)
      if (attribute.graph)
        forEachDefined(*attribute.graph, define);
  }
  for (const std::string &output : outputs)
    if (wrong.empty() && (output.empty() || (!own.contains(output) && !formal.contains(output))))
      wrong = output.empty() ? "an output has no name" : "its output '" + output + "' is not computed by any node";
  return wrong;
}

InFlightDiagnostic FunctionInliner::error(const Node &call, const Function &function) {
  return emitError(loc) << "node '" << call.name << "' calls function '" << function.name << "' ";
}

LogicalResult FunctionInliner::run(Graph &graph) {
  Nodes nodes;
  for (Node &node : graph.nodes)
    if (failed(add(std::move(node), nodes)))
      return failure();
  graph.nodes = std::move(nodes);
  return setDepth(graph);
}

LogicalResult FunctionInliner::setDepth(Graph &graph) {
  for (const Node &node : graph.nodes)
    for (const auto &[name, attribute] : node.attributes)
      if (attribute.graph)
        graph.depth = std::max(graph.depth, attribute.graph->depth + 1);
  if (graph.depth > maxDepth)
    return emitError(loc) << "in the model's functions, graphs are nested more than " << maxDepth << " deep";
  return success();
}

/// Appends the node to `to`, or the nodes of its function if the node is a call.
LogicalResult FunctionInliner::add(Node node, Nodes &to) {
  FailureOr<const Function *> function = find(node);
  if (failed(function))
    return failure();
  if (*function)
    return addCall(node, **function, to);
  if (!active.empty() && failed(count(node)))
    return failure();
  to.push_back(std::move(node));
  return success();
}

LogicalResult FunctionInliner::count(size_t nodes, size_t bytes) {
  copiedNodes += nodes;
  copiedBytes += bytes;
  if (copiedNodes <= maxNodes && copiedBytes <= maxBytes)
    return success();
  return emitError(loc) << "the model's functions expand to more than " << maxNodes
                        << " nodes, or to nodes of more than " << (maxBytes >> 20) << " MiB";
}

/// Counts one copied node with the approximate size of its names and attributes.
LogicalResult FunctionInliner::count(const Node &node) {
  size_t bytes = sizeof(Node) + node.name.size();
  for (const auto *list : {&node.inputs, &node.outputs})
    for (const std::string &name : *list)
      bytes += sizeof(name) + name.size();
  for (const auto &[name, attribute] : node.attributes)
    bytes += sizeof(attribute) + name.size() + attribute.s.size() +
             sizeof(int64_t) * (attribute.ints.size() + attribute.floats.size());
  return count(1, bytes);
}

LogicalResult FunctionInliner::checkCall(const Node &call, const Function &function) {
  if (llvm::is_contained(active, &function)) {
    InFlightDiagnostic diagnostic = error(call, function) << "within itself:";
    for (const Function *outer : llvm::make_range(llvm::find(active, &function), active.end()))
      diagnostic << " '" << outer->name << "' calls";
    return diagnostic << " '" << function.name << "'";
  }
  if (depth == maxDepth)
    return error(call, function) << "at a depth of more than " << maxDepth << " nested functions and graphs";
  if (call.inputs.size() > function.inputs.size())
    return error(call, function) << "with " << call.inputs.size() << " inputs, expected at most "
                                 << function.inputs.size();
  if (call.outputs.size() > function.outputs.size())
    return error(call, function) << "for " << call.outputs.size() << " outputs, expected at most "
                                 << function.outputs.size();
  for (const auto &[name, attribute] : call.attributes)
    if (!function.attributes.count(name))
      emitRemark(loc) << "node '" << call.name << "' gives function '" << function.name << "' attribute '" << name
                      << "', which the function does not declare";
  return success();
}

/// Appends to `to` those nodes of the called function that contribute to an output that the call uses.
LogicalResult FunctionInliner::addCall(const Node &call, const Function &function, Nodes &to) {
  if (failed(checkCall(call, function)) || failed(count(1, 0)))
    return failure();
  active.push_back(&function);
  ++depth;
  Scope scope{function, call, StringRef(call.name).take_back(longestPrefix).str() + "/", {}};
  auto given = [](const std::vector<std::string> &names, size_t i) { return i < names.size() ? names[i] : ""; };
  for (auto [i, input] : llvm::enumerate(function.inputs))
    scope.values[input] = given(call.inputs, i);

  // If an output of the function is one of its inputs or an earlier output, an Identity node copies it.
  std::vector<std::pair<std::string, std::string>> copies;
  llvm::StringSet<> needed;
  for (auto [i, output] : llvm::enumerate(function.outputs)) {
    std::string name = given(call.outputs, i);
    if (name.empty())
      continue;
    if (auto [known, isNew] = scope.values.try_emplace(output, name); !isNew)
      copies.push_back({known->second, name});
    needed.insert(output);
  }
  // Selects the nodes that contribute to an output that the call uses, from the last node to the first.
  SmallVector<const Node *> kept;
  for (const Node &node : llvm::reverse(function.nodes))
    if (llvm::any_of(node.outputs, [&](const std::string &name) { return needed.contains(name) && !name.empty(); })) {
      kept.push_back(&node);
      addReads(node, needed);
    }
  for (const Node *node : llvm::reverse(kept)) {
    FailureOr<Node> copied = copy(scope, *node);
    if (failed(copied))
      return failure();
    for (auto [name, before] : llvm::zip_equal(copied->outputs, node->outputs))
      if (!needed.contains(before))
        name.clear();
    if (failed(add(std::move(*copied), to)))
      return failure();
  }
  for (const auto &[from, name] : copies) {
    Node identity;
    identity.name = name;
    identity.opType = "Identity";
    identity.version = identityVersion;
    identity.inputs = {from};
    identity.outputs = {name};
    if (failed(count(identity)))
      return failure();
    to.push_back(std::move(identity));
  }
  --depth;
  active.pop_back();
  return success();
}

/// Returns the name, with a numeric suffix if it is already used, and records that the result is used.
std::string FunctionInliner::unique(std::string name) {
  if (names.insert(name).second)
    return name;
  int64_t &suffix = suffixes[name];
  std::string numbered;
  do
    numbered = name + "." + std::to_string(++suffix);
  while (!names.insert(numbered).second);
  return numbered;
}

/// Returns the name that the function's value `name` has in the graph; "" for an absent value.
const std::string &FunctionInliner::valueOf(Scope &scope, const std::string &name) {
  static const std::string none;
  if (name.empty())
    return none;
  auto [value, isNew] = scope.values.try_emplace(name);
  if (isNew)
    value->second = unique(scope.prefix + name);
  return value->second;
}

/// Copies a node of a function with its names in the graph, and replaces references to attributes by their values.
FailureOr<Node> FunctionInliner::copy(Scope &scope, const Node &node) {
  Node copied = node;
  copied.name = scope.prefix + node.name;
  for (std::string &name : copied.inputs)
    name = valueOf(scope, name);
  for (std::string &name : copied.outputs)
    name = valueOf(scope, name);
  copied.attributes.clear();
  for (const auto &[name, attribute] : node.attributes) {
    const NodeAttribute *source = &attribute;
    if (!attribute.reference.empty()) {
      auto given = scope.call.attributes.find(attribute.reference);
      auto known = scope.function.defaults.find(attribute.reference);
      if (given != scope.call.attributes.end()) { // graphs in attributes of the call were already copied
        copied.attributes[name] = given->second;
        continue;
      }
      if (known == scope.function.defaults.end())
        continue; // neither the call nor a default has a value for the attribute, so the node is copied without it
      source = &known->second;
    }
    NodeAttribute &target = copied.attributes[name] = *source;
    if (!source->graph)
      continue;
    FailureOr<std::shared_ptr<const Graph>> graph = copy(scope, *source->graph);
    if (failed(graph))
      return failure();
    target.graph = *graph;
  }
  return copied;
}

FailureOr<std::shared_ptr<const Graph>> FunctionInliner::copy(Scope &scope, const Graph &graph) {
  size_t ports = graph.inputs.size() + graph.initializers.size() + graph.outputs.size();
  if (failed(count(0, sizeof(Graph) + ports * (sizeof(Port) + scope.prefix.size()))))
    return failure();
  if (depth == maxDepth)
    return error(scope.call, scope.function)
           << "at a depth of more than " << maxDepth << " nested functions and graphs";
  ++depth;
  auto copied = std::make_shared<Graph>();
  copied->opsets = graph.opsets;
  copied->inputs = graph.inputs;
  copied->initializers = graph.initializers;
  copied->outputs = graph.outputs;
  for (Port &port : copied->inputs)
    port.name = valueOf(scope, port.name);
  for (TensorData &tensor : copied->initializers)
    tensor.name = valueOf(scope, tensor.name);
  for (const Node &node : graph.nodes) {
    FailureOr<Node> inner = copy(scope, node);
    if (failed(inner) || failed(add(std::move(*inner), copied->nodes)))
      return failure();
  }
  for (Port &port : copied->outputs)
    port.name = valueOf(scope, port.name);
  --depth;
  if (failed(setDepth(*copied)))
    return failure();
  return std::shared_ptr<const Graph>(std::move(copied));
}
