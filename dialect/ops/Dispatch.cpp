//===- Dispatch.cpp - tasks shared among threads --------------------------===//

#include "Callee.h"

using namespace mlir;
using namespace heddle;

LogicalResult DispatchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // The arguments of the task: its number, the scratch memory if there is any, and the captures.
  SmallVector<Type> expected(1, getCount().getType());
  if (getScratch())
    expected.push_back(getScratch().getType());
  llvm::append_range(expected, getCaptures().getTypes());
  return verifyCallee(*this, symbols, "task", getTaskAttr(), expected);
}
