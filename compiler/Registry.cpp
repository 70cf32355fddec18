//===- Registry.cpp - dialects of the compiler ----------------------------===//

#include "heddle/Registry.h"

#include "Heddle.h"
#include "heddle/Accesses.h"
#include "heddle/Lowering.h"
#include "heddle/WeightTable.h"
#include "interpreter/Interpreter.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"

void heddle::registerDialects(mlir::DialectRegistry &registry) {
  // These calls must be first: if several interface models are registered for an operation, MLIR uses only the first
  // one.
  registerWriteBufferization(registry);
  registerSliceSubsets(registry);
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllToLLVMIRTranslations(registry);
  registry.insert<HeddleDialect>();
  registerInterpreter(registry);
  registerTransformOps(registry);
  registerAccessesBufferization(registry);
  registerTileBufferization(registry);
  registerWeightBufferization(registry);
}
