//===- KeepRolled.h - the annotation of loops that stay loops ---*- C++ -*-===//

#ifndef HEDDLE_SUPPORT_KEEPROLLED_H
#define HEDDLE_SUPPORT_KEEPROLLED_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace heddle {

/// Returns the annotation that keeps LLVM from unrolling a loop.
inline mlir::LLVM::LoopAnnotationAttr keepRolled(mlir::MLIRContext *context) {
  auto unroll =
      mlir::LLVM::LoopUnrollAttr::get(context, mlir::BoolAttr::get(context, true), {}, {}, {}, {}, {}, {});
  return mlir::LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, unroll, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});
}

} // namespace heddle

#endif // HEDDLE_SUPPORT_KEEPROLLED_H
