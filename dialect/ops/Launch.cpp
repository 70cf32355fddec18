//===- Launch.cpp - a kernel on a grid of workgroups ----------------------===//

#include "Callee.h"

using namespace mlir;
using namespace heddle;

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // The arguments of the kernel: the index of the workgroup, which has the type of `groups`, and the captures.
  return verifyCallee(*this, symbols, "kernel", getKernelAttr(), getOperandTypes());
}
