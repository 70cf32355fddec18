//===- OpTable.cpp - the table of supported operators ---------------------===//

#include "OpTable.h"

#include "heddle/Import.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace heddle::onnx;

/// The supported operators by domain.
static const llvm::StringMap<OpTable> &allOps() {
  static const llvm::StringMap<OpTable> tables = [] {
    llvm::StringMap<OpTable> tables;
    OpTable &table = tables[""];
    for (auto add :
         {addActivationOps,      addAttentionOps,       addBinaryOps, addComparisonOps,    addConcatOps, addConstantOps,
          addConvolutionOps,     addCumSumOps,          addEinsumOps, addGatherNDOps,      addGatherOps, addIfOps,
          addLinearAttentionOps, addLogicOps,           addMatMulOps, addNormalizationOps, addOrderOps,  addPadOps,
          addQLinearMatMulOp,    addQuantizationOps,    addReductionOps,       addRotaryEmbeddingOps, addScanOps, addScatterOps, addShapeOps,
          addSliceOps,           addSoftmaxOps,         addTriangleOps, addUnaryOps})
      add(table);
    // These operators return 4-bit and 8-bit integers unchanged.
    for (StringRef name : {"Concat", "Expand", "Flatten", "Gather", "Identity", "Reshape", "Slice", "Split", "Squeeze",
                           "Tile", "Transpose", "Unsqueeze"})
      table.find(name)->second.small = SmallUse::Unchanged;
    // These operators support 4-bit and 8-bit integers and check the types themselves.
    for (StringRef name : {"Cast", "Shape", "Size"})
      table.find(name)->second.small = SmallUse::Supported;
    addFlexAttentionOps(tables["ai.onnx.preview"]);
    for (auto add : {addLinearAttentionOps, addOnnxRuntimeAttention, addOnnxRuntimeGroupQueryAttention,
                     addOnnxRuntimeLayers, addOnnxRuntimeMatMulNBits, addOnnxRuntimeQuantization,
                     addOnnxRuntimeQuantizedOperators, addOnnxRuntimeRotaryEmbedding})
      add(tables["com.microsoft"]);
    for (auto &entry : tables["com.microsoft"])
      entry.second.since = 0; // ONNX Runtime's optimizer omits the version of this domain, so it is 0
    return tables;
  }();
  return tables;
}

const OpEntry *heddle::onnx::findOperator(StringRef domain, StringRef opType) {
  auto table = allOps().find(domain);
  if (table == allOps().end())
    return nullptr;
  auto entry = table->second.find(opType);
  return entry == table->second.end() ? nullptr : &entry->second;
}

namespace {

/// The unsupported operators of a graph and of its nested graphs, in the order in which they occur, each with the nodes
/// that use it.
using Refused = llvm::MapVector<StringAttr, SmallVector<StringRef>>;

/// Adds the unsupported operators of the graph and of its nested graphs to `refused`.
void findRefused(MLIRContext *context, const Graph &graph, Refused &refused) {
  for (const Node &node : graph.nodes) {
    for (const auto &[name, attribute] : node.attributes)
      if (attribute.graph)
        findRefused(context, *attribute.graph, refused);
    if (isOperator(node))
      continue;
    const OpEntry *entry = findOperator(node.domain, node.opType);
    int64_t version = node.version;
    std::string text =
        node.opType + " (" + (node.domain.empty() ? "opset" : node.domain) + " " + std::to_string(version) + ")";
    if (entry && version < entry->since)
      text += ", which exists since opset " + std::to_string(entry->since);
    else if (entry)
      text += ", which is supported up to version " + std::to_string(entry->until);
    refused[StringAttr::get(context, text)].push_back(node.name);
  }
}

/// Whether an operator of ONNX or ONNX Runtime computes with quantised numbers.
bool isQuantised(StringRef name) {
  return name.contains("Quantize") || name.starts_with("QLinear") || name.starts_with("QOrdered") ||
         name.starts_with("QAttention") || name.starts_with("QGemm") || name.starts_with("QEmbed") ||
         name.starts_with("QMoE") || name.starts_with("MatMulInteger") || name.starts_with("ConvInteger") ||
         name.starts_with("MatMulNBits") || name.starts_with("MatMulBnb4");
}

} // namespace

bool heddle::onnx::isOperator(const Node &node) {
  const OpEntry *entry = findOperator(node.domain, node.opType);
  return entry && node.version >= entry->since && node.version <= entry->until;
}

LogicalResult heddle::onnx::checkOperators(Location loc, const Graph &graph) {
  constexpr size_t maxNames = 3;
  Refused refused;
  findRefused(loc.getContext(), graph, refused);
  if (refused.empty())
    return success();
  InFlightDiagnostic error = emitError(loc) << "operators that are not supported:";
  for (const auto &[text, nodes] : refused) {
    error << "\n  " << text.getValue() << ": ";
    error << (nodes.size() == 1 ? "node " : std::to_string(nodes.size()) + " nodes: ");
    llvm::interleaveComma(ArrayRef(nodes).take_front(maxNames), error,
                          [&](StringRef name) { error << "'" << name << "'"; });
    if (nodes.size() > maxNames)
      error << " and " << nodes.size() - maxNames << " more";
  }
  if (llvm::any_of(refused, [](const auto &entry) { return isQuantised(entry.first.getValue()); }))
    error << "\nthe model is quantised: use the float model from which it was made";
  return error;
}

LogicalResult heddle::onnx::checkQuantised(Location loc, const Graph &graph) {
  bool found = llvm::any_of(graph.nodes, [](const Node &node) { return isQuantised(node.opType); });
  return found ? checkOperators(loc, graph) : success();
}

std::vector<std::string> heddle::onnxOperators() {
  std::vector<std::string> names;
  for (const auto &table : allOps())
    for (const auto &entry : table.second)
      names.push_back((table.getKey().empty() ? "" : table.getKey().str() + ".") + entry.getKey().str());
  llvm::sort(names);
  return names;
}
