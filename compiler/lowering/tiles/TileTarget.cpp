//===- TileTarget.cpp - the target of ops that make tiles -----------------===//

#include "TileTarget.h"

#include "heddle/Devices.h"

#include "Notes.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace heddle;

LogicalResult heddle::verifyTileTarget(Operation *op) {
  auto module = op->getParentOfType<ModuleOp>();
  auto strategy = module ? notes::strategy.get(module) : std::nullopt;
  auto target = strategy ? strategy->getAs<StringAttr>("target") : StringAttr();
  if (target && target.getValue() == hostDevice)
    return op->emitOpError() << "is for strategies of devices, found target " << target;
  return success();
}
