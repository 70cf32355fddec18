//===- If.cpp - the ONNX operator If --------------------------------------===//
//
// The condition must be known at import, and its value must be the same at all sizes. Conditions that exporters write
// on ranks or sizes are known at import. Only the branch that the condition selects is inlined.
//
//===----------------------------------------------------------------------===//

#include "OpTable.h"

using namespace mlir;
using namespace heddle::onnx;

namespace {

LogicalResult convertIf(NodeContext &n) {
  size_t outputs = n.node.outputs.size();
  FailureOr<const Graph *> taken = n.graphAttr("then_branch", 0, outputs);
  FailureOr<const Graph *> other = failed(taken) ? taken : n.graphAttr("else_branch", 0, outputs);
  if (failed(other))
    return failure();
  if (!*taken || !*other)
    return n.error() << "expected the graphs 'then_branch' and 'else_branch'";
  FailureOr<Dim> condition = n.integer(0, "the condition");
  if (failed(condition) || failed(n.requireBool(n.in(0))))
    return failure();
  const Graph &branch = *condition != 0 ? **taken : **other;
  if (failed(n.checkSizes()))
    return failure();
  FailureOr<SmallVector<Value>> results = n.model.inlineGraph(branch, {});
  if (failed(results))
    return failure();
  for (auto [i, result] : llvm::enumerate(*results))
    (void)n.yield(i, result);
  return success();
}

} // namespace

void heddle::onnx::addIfOps(OpTable &table) { table["If"] = {convertIf}; }
