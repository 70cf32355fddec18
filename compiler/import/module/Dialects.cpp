//===- Dialects.cpp - dialects of imported modules ------------------------===//

#include "heddle/Import.h"

#include "Heddle.h"

#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace heddle;

void heddle::loadImportDialects(MLIRContext &context) {
  DialectRegistry registry;
  func::registerInlinerExtension(registry);
  context.appendDialectRegistry(registry);
  context.loadDialect<arith::ArithDialect, func::FuncDialect, HeddleDialect, linalg::LinalgDialect,
                      math::MathDialect, tensor::TensorDialect>();
}
