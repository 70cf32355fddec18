//===- Callee.cpp - verification of called functions ----------------------===//

#include "Callee.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

LogicalResult heddle::verifyCallee(Operation *op, SymbolTableCollection &symbols, StringRef kind,
                                   FlatSymbolRefAttr callee, TypeRange arguments) {
  auto function = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(op, callee);
  if (!function)
    return op->emitOpError() << kind << " " << callee << " is not a function";
  if (!function.getResultTypes().empty())
    return op->emitOpError() << kind << " " << callee << " must not return values";
  if (llvm::equal(function.getArgumentTypes(), arguments))
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError() << kind << " " << callee << " expects other arguments";
  diagnostic.attachNote(function.getLoc()) << "expected (" << ArrayRef<Type>(function.getArgumentTypes()) << ")";
  diagnostic.attachNote() << "found    (" << arguments << ")";
  return diagnostic;
}
