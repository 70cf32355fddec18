//===- KeepStates.cpp - turns past keys and values into states ------------===//

#include "KeepStates.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace heddle::onnx;

/// Returns the port with this name; null if there is none or the name is "".
static Port *findPort(std::vector<Port> &ports, StringRef name) {
  auto found = llvm::find_if(ports, [&](const Port &port) { return port.name == name; });
  return found == ports.end() || name.empty() ? nullptr : &*found;
}

/// Returns name `i` of the operands or results of a node; "" if it is absent.
static std::string nameAt(const std::vector<std::string> &names, size_t i) { return i < names.size() ? names[i] : ""; }

/// Pairs of the index of an operand and the index of a result of GroupQueryAttention that are the same buffer: the past
/// and present keys, and the past and present values.
static constexpr std::pair<size_t, size_t> buffers[] = {{3, 1}, {4, 2}};

/// Counts how often nodes read each value.
static llvm::StringMap<int> countReaders(const Graph &graph) {
  llvm::StringMap<int> readers;
  for (const Node &node : graph.nodes)
    for (const std::string &name : node.inputs)
      ++readers[name];
  return readers;
}

/// Sets the attribute `keepsState` of a node.
static void mark(Node &node) {
  NodeAttribute attribute;
  attribute.kind = NodeAttribute::Kind::Int;
  attribute.i = 1;
  node.attributes[keepsState.str()] = attribute;
}

/// Turns the key and value buffers of a GroupQueryAttention into states. `pastInput` replaces operand 5, seqlens_k.
/// Operand 6, total_sequence_length, is removed.
static LogicalResult keepBuffers(Location loc, Graph &graph, Node &node, StatePorts &states) {
  llvm::StringMap<int> readers = countReaders(graph);
  for (auto [operand, result] : buffers) {
    std::string before = nameAt(node.inputs, operand), after = nameAt(node.outputs, result);
    Port *past = findPort(graph.inputs, before);
    if (!past || !findPort(graph.outputs, after) || past->axes.size() != 4)
      return emitError(loc) << "node '" << node.name << "' (" << node.opType
                            << "): --state: expected the past '" << before
                            << "' to be an input of the model with 4 dimensions, and the present '" << after
                            << "' to be an output";
    if (readers[before] != 1)
      return emitError(loc) << "node '" << node.name << "' (" << node.opType << "): --state: its past '" << before
                            << "' is also read elsewhere";
    states[before] = after;
  }
  if (!nameAt(node.inputs, 9).empty())
    return emitError(loc) << "node '" << node.name << "' (" << node.opType
                          << "): --state: position_ids are not supported: new tokens have the positions after the past";
  node.inputs[5] = pastInput.str();
  node.inputs[6] = "";
  mark(node);
  return success();
}

/// Returns whether a node is a TensorScatter that appends rows to an input of the model, with the semantics of
/// heddle.append, and whose result is an output of the model.
static bool isAppend(Graph &graph, const Node &node) {
  auto axis = node.attributes.find("axis"), mode = node.attributes.find("mode");
  Port *cache = findPort(graph.inputs, nameAt(node.inputs, 0)), *first = findPort(graph.inputs, nameAt(node.inputs, 2));
  bool isAlongRows = axis == node.attributes.end() || axis->second.i == -2 || axis->second.i == 2;
  bool isLinear = mode == node.attributes.end() || mode->second.s == "linear";
  return node.domain.empty() && node.opType == "TensorScatter" && cache && cache->axes.size() == 4 && first &&
         first->axes.size() == 1 && first->element.isInteger(64) && isAlongRows && isLinear &&
         isa<FloatType>(cache->element) && findPort(graph.outputs, nameAt(node.outputs, 0));
}

/// Turns the caches of nodes that `isAppend` accepts into states if nothing else reads the caches. The input with the
/// positions of the new rows is renamed to `pastInput`.
static LogicalResult keepCaches(Location loc, Graph &graph, StatePorts &states) {
  llvm::StringMap<int> readers = countReaders(graph);
  std::string first; // the name of the input with the positions; "" until a cache is found
  for (Node &node : graph.nodes) {
    if (!isAppend(graph, node) || readers[node.inputs[0]] != 1)
      continue;
    if (!states.empty() && node.inputs[2] != first)
      return emitError(loc) << "node '" << node.name << "' (" << node.opType << "): --state: '" << node.inputs[2]
                            << "' contains the positions of new rows, but so does "
                            << (first.empty() ? std::string("the past of GroupQueryAttention") : "'" + first + "'")
                            << ": expected one input for all states";
    first = node.inputs[2];
    states[node.inputs[0]] = node.outputs[0];
    mark(node);
  }
  if (first.empty())
    return success();
  emitRemark(loc) << "--state: '" << first << "' is renamed to '" << pastInput
                  << "': it is the number of rows of each sequence before the call";
  findPort(graph.inputs, first)->name = pastInput.str();
  // Other nodes still read the input by its previous name.
  Node alias;
  alias.name = pastInput.str();
  alias.opType = "Identity";
  alias.inputs = {pastInput.str()};
  alias.outputs = {first};
  graph.nodes.insert(graph.nodes.begin(), std::move(alias));
  return success();
}

/// Turns all other caches to which a Scatter operator writes, possibly between transposes, into states that each call
/// of the model replaces.
static void keepReplaced(Graph &graph, StatePorts &states) {
  // Maps each input, and each value that the operators below compute from an input, to a pair: the name of the input,
  // and whether a Scatter operator was applied.
  llvm::StringMap<std::pair<std::string, bool>> origins;
  for (const Port &input : graph.inputs)
    origins[input.name] = {input.name, false};
  for (const Node &node : graph.nodes) {
    bool writes = StringRef(node.opType).contains("Scatter");
    if (!node.domain.empty() || node.outputs.empty() || node.inputs.empty() ||
        (!writes && node.opType != "Transpose" && node.opType != "Identity"))
      continue;
    if (auto origin = origins.find(node.inputs[0]); origin != origins.end()) {
      auto [name, isWritten] = origin->second;
      origins[node.outputs[0]] = {name, isWritten || writes};
    }
  }
  for (const Port &output : graph.outputs) {
    auto [name, isWritten] = origins.lookup(output.name);
    Port *before = isWritten ? findPort(graph.inputs, name) : nullptr;
    if (before && isa<FloatType>(before->element) && !before->axes.empty() && !states.count(name))
      states[name] = output.name;
  }
}

/// Emits an error for the first remaining node that computes a present (an output of the model) from a past (an input).
/// Such a node is a Concat or an attention operator. The past operands of an attention operator follow query, key and
/// value, and its present results follow the first result.
static LogicalResult refuseOthers(Location loc, Graph &graph, const StatePorts &states) {
  for (const Node &node : graph.nodes) {
    bool isConcat = node.opType == "Concat";
    auto behind = [&](ArrayRef<std::string> names, size_t others) {
      return names.drop_front(isConcat ? 0 : std::min(names.size(), others));
    };
    for (const std::string &output : behind(node.outputs, 1))
      for (const std::string &input : behind(node.inputs, 3))
        if (Port *past = findPort(graph.inputs, input);
            past && past->axes.size() == 4 && findPort(graph.outputs, output) && !states.count(input))
          return emitError(loc) << "node '" << node.name << "' (" << node.opType << "): --state: the past '" << input
                                << "' and the present '" << output
                                << "' are not known to share memory: only buffers of GroupQueryAttention, caches to "
                                   "which a Scatter operator writes, and inputs to which Concat appends do";
  }
  return success();
}

/// Returns whether any node has a body, which is a graph in an attribute. The nodes of a body may read any value of the
/// graph by its name.
static bool hasBodies(const Graph &graph) {
  return llvm::any_of(graph.nodes, [](const Node &node) {
    return llvm::any_of(node.attributes,
                        [](const auto &entry) { return entry.second.kind == NodeAttribute::Kind::Graph; });
  });
}

/// Erases nodes whose results are not needed. Then erases the inputs that were read before the graph was changed
/// (`before` counts these uses) but are no longer read, and emits a remark for each of them.
static void eraseUnread(Location loc, Graph &graph, const llvm::StringMap<int> &before) {
  llvm::StringSet<> needed;
  for (const Port &port : graph.outputs)
    needed.insert(port.name);
  std::vector<Node> kept;
  for (Node &node : llvm::reverse(graph.nodes)) {
    if (llvm::none_of(node.outputs, [&](const std::string &name) { return !name.empty() && needed.count(name); }))
      continue;
    for (const std::string &name : node.inputs)
      needed.insert(name);
    kept.push_back(std::move(node));
  }
  graph.nodes.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
  llvm::erase_if(graph.inputs, [&](const Port &port) {
    bool isUnread = before.count(port.name) && !needed.count(port.name);
    if (isUnread)
      emitRemark(loc) << "--state: '" << port.name << "' is no longer an input: '" << pastInput
                      << "' is the number of past keys of each sequence; if padding follows the tokens of a sequence, "
                      << "do not count the padding in the next call";
    return isUnread;
  });
}

LogicalResult heddle::onnx::keepStates(Location loc, Graph &graph, StatePorts &states) {
  if (findPort(graph.inputs, pastInput))
    return emitError(loc) << "--state: expected a model without an input '" << pastInput
                          << "', because --state adds this input";
  llvm::StringMap<int> before = countReaders(graph);
  for (Node &node : graph.nodes)
    if (node.opType == "GroupQueryAttention" && node.domain == "com.microsoft" && node.inputs.size() > 6 &&
        failed(keepBuffers(loc, graph, node, states)))
      return failure();
  // The first buffer of a GroupQueryAttention, or "". If there is such a buffer, `pastInput` is added as a new input
  // below; otherwise keepCaches renames an existing input to `pastInput`.
  std::string firstBuffer = states.empty() ? "" : states.begin()->first;
  if (failed(keepCaches(loc, graph, states)))
    return failure();
  keepReplaced(graph, states);
  if (failed(refuseOthers(loc, graph, states)))
    return failure();
  if (states.empty())
    return emitError(loc) << "--state: no input of the model is a past to which a node appends new rows, with the result "
                             "as an output";
  if (firstBuffer.empty())
    return success();
  Port past;
  past.name = pastInput.str();
  past.element = IntegerType::get(loc.getContext(), 64);
  past.hasShape = true;
  past.axes.push_back(findPort(graph.inputs, firstBuffer)->axes.front());
  graph.inputs.push_back(past);
  if (!hasBodies(graph))
    eraseUnread(loc, graph, before);
  return success();
}
