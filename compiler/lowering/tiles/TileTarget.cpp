//===- TileTarget.cpp - the target whose code has tiles -------------------===//

#include "TileTarget.h"

#include "Notes.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace heddle;

/// The target whose stages distribute tiles over lanes.
static constexpr llvm::StringLiteral tileTarget = "cuda";

LogicalResult heddle::verifyTileTarget(Operation *op) {
  auto module = op->getParentOfType<ModuleOp>();
  auto strategy = module ? notes::strategy.get(module) : std::nullopt;
  auto target = strategy ? strategy->getAs<StringAttr>("target") : StringAttr();
  if (target && target.getValue() != tileTarget)
    return op->emitOpError() << "is for strategies of target '" << tileTarget << "', found target " << target;
  return success();
}
