//===- heddle-opt.cpp - the MLIR driver with every pass of Heddle ---------===//

#include "Heddle.h"
#include "heddle/Passes.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  heddle::registerHeddlePasses();
  registry.insert<heddle::HeddleDialect>();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "heddle-opt: Heddle's passes\n", registry));
}
