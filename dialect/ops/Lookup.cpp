//===- Lookup.cpp - constraints of lookup ---------------------------------===//

#include "Heddle.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

LogicalResult LookupOp::verifyConstraints() {
  if (getValues().size() != 16 || !llvm::all_of(getValues(), llvm::isInt<8>))
    return emitOpError("expects 16 values from -128 to 127 (C1)");
  return success();
}
