//===- Launch.cpp - a kernel on a grid of workgroups ----------------------===//

#include "Heddle.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace heddle;

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto kernel = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(*this, getKernelAttr());
  if (!kernel)
    return emitOpError("kernel ") << getKernelAttr() << " is not a function";
  if (llvm::equal(kernel.getArgumentTypes(), getOperandTypes()) && kernel.getResultTypes().empty())
    return success();
  InFlightDiagnostic diagnostic = emitOpError("kernel ") << getKernelAttr() << " expects other arguments";
  diagnostic.attachNote(kernel.getLoc()) << "expected (" << ArrayRef<Type>(kernel.getArgumentTypes()) << ")";
  diagnostic.attachNote() << "found    (" << getOperandTypes() << ")";
  return diagnostic;
}
