//===- Launch.cpp - a kernel on a grid of workgroups ----------------------===//

#include "Callee.h"

using namespace mlir;
using namespace heddle;

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyCallee(*this, symbols, "kernel", getKernelAttr(), getOperandTypes());
}
