//===- heddle-opt.cpp - the MLIR driver with every pass of Heddle ---------===//

#include "heddle/ErrorHandlers.h"
#include "heddle/Passes.h"
#include "heddle/Pipeline.h"
#include "heddle/Registry.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  heddle::installErrorHandlers("heddle-opt");
  mlir::registerAllPasses();
  heddle::registerHeddlePasses();
  heddle::registerPipelines();
  mlir::DialectRegistry registry;
  heddle::registerDialects(registry);
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "heddle-opt: Heddle's passes\n", registry));
}
