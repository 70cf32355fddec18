//===- Logic.cpp - And, Or, Xor, Not, Where -------------------------------===//

#include "OpTable.h"

using namespace mlir;
using namespace heddle::onnx;

namespace {

template <typename Op>
LogicalResult convertLogic(NodeContext &n) {
  if (failed(n.requireBool(n.in(0))) || failed(n.requireBool(n.in(1))) ||
      failed(n.requireBroadcast({n.in(0), n.in(1)})))
    return failure();
  auto [a, b] = n.b.together(n.in(0), n.in(1));
  return n.yield(n.b.elementwise<Op>(a, b));
}

LogicalResult convertNot(NodeContext &n) {
  if (failed(n.requireBool(n.in(0))))
    return failure();
  return n.yield(n.b.elementwise<arith::XOrIOp>(n.in(0), n.b.splatLike(n.in(0), 1)));
}

LogicalResult convertWhere(NodeContext &n) {
  if (failed(n.requireBool(n.in(0))) || failed(n.requireSameElements({n.in(1), n.in(2)})) ||
      failed(n.requireBroadcast(n.operands())))
    return failure();
  return n.yield(n.b.select(n.in(0), n.in(1), n.in(2)));
}

} // namespace

void heddle::onnx::addLogicOps(OpTable &table) {
  table["And"] = {convertLogic<arith::AndIOp>, 2, 2};
  table["Or"] = {convertLogic<arith::OrIOp>, 2, 2};
  table["Xor"] = {convertLogic<arith::XOrIOp>, 2, 2};
  table["Not"] = {convertNot};
  table["Where"] = {convertWhere, 3, 3, 9};
}
