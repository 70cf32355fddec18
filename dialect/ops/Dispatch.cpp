//===- Dispatch.cpp - tasks that threads share ----------------------------===//

#include "Heddle.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace heddle;

LogicalResult DispatchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto task = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(*this, getTaskAttr());
  if (!task)
    return emitOpError("task ") << getTaskAttr() << " is not a function";
  SmallVector<Type> expected(1, getCount().getType());
  if (getScratch())
    expected.push_back(getScratch().getType());
  llvm::append_range(expected, getCaptures().getTypes());
  if (llvm::equal(task.getArgumentTypes(), expected) && task.getResultTypes().empty())
    return success();
  InFlightDiagnostic diagnostic = emitOpError("task ") << getTaskAttr() << " expects other arguments";
  diagnostic.attachNote(task.getLoc()) << "expected (" << ArrayRef<Type>(task.getArgumentTypes()) << ")";
  diagnostic.attachNote() << "found    (" << ArrayRef<Type>(expected) << ")";
  return diagnostic;
}
