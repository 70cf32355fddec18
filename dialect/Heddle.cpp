//===- Heddle.cpp - registration of the dialect ---------------------------===//

#include "Heddle.h"
#include "ops/Syntax.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

#include "HeddleDialect.cpp.inc"
#include "HeddleEnums.cpp.inc"
#include "Format.cpp.inc"
#include "FragmentKind.cpp.inc"
#include "ProductKind.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "HeddleAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "HeddleOps.cpp.inc"

namespace {
/// All operations may be inlined: their meaning does not depend on the function that they are in.
struct HeddleInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const override { return true; }
};
} // namespace

void HeddleDialect::initialize() {
  addInterfaces<HeddleInlinerInterface>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "HeddleAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "HeddleOps.cpp.inc"
      >();
}
