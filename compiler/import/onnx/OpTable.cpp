//===- OpTable.cpp - which operators are imported -------------------------===//

#include "OpTable.h"

#include "heddle/Import.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace heddle::onnx;

const OpTable &heddle::onnx::standardOps() {
  static const OpTable table = [] {
    OpTable table;
    for (auto add : {addActivationOps, addAttentionOps, addBinaryOps, addComparisonOps, addConcatOps, addConstantOps,
                     addGatherOps, addLinearAttentionOps, addLogicOps, addMatMulOps, addNormalizationOps, addPadOps,
                     addReductionOps, addRotaryEmbeddingOps, addScatterOps, addShapeOps, addSliceOps, addSoftmaxOps,
                     addTriangleOps, addUnaryOps})
      add(table);
    return table;
  }();
  return table;
}

LogicalResult heddle::onnx::checkOperators(Location loc, const Graph &graph) {
  constexpr size_t mostNames = 3;
  llvm::MapVector<StringAttr, SmallVector<StringRef>> refused; // in the order of the graph
  const OpTable &table = standardOps();
  for (const Node &node : graph.nodes) {
    auto entry = node.domain.empty() ? table.find(node.opType) : table.end();
    int64_t version = graph.opsetOf(node);
    if (entry != table.end() && version >= entry->second.since)
      continue;
    std::string text = node.opType + " (" + (node.domain.empty() ? "opset" : node.domain) + " " +
                       std::to_string(version) + ")";
    if (entry != table.end())
      text += ", which exists since opset " + std::to_string(entry->second.since);
    refused[StringAttr::get(loc.getContext(), text)].push_back(node.name);
  }
  if (refused.empty())
    return success();
  InFlightDiagnostic error = emitError(loc) << "operators that are not supported:";
  for (const auto &[text, nodes] : refused) {
    error << "\n  " << text.getValue() << ": ";
    error << (nodes.size() == 1 ? "node " : std::to_string(nodes.size()) + " nodes: ");
    llvm::interleaveComma(ArrayRef(nodes).take_front(mostNames), error,
                          [&](StringRef name) { error << "'" << name << "'"; });
    if (nodes.size() > mostNames)
      error << " and " << nodes.size() - mostNames << " more";
  }
  return error;
}

std::vector<std::string> heddle::onnxOperators() {
  std::vector<std::string> names;
  for (const auto &entry : standardOps())
    names.push_back(entry.getKey().str());
  llvm::sort(names);
  return names;
}
