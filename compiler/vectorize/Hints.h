//===- Hints.h - what vectorised loops tell LLVM ----------------*- C++ -*-===//

#ifndef HEDDLE_VECTORIZE_HINTS_H
#define HEDDLE_VECTORIZE_HINTS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace heddle {

/// What keeps LLVM from unrolling a loop.
mlir::LLVM::LoopAnnotationAttr keepRolled(mlir::MLIRContext *context);

} // namespace heddle

#endif // HEDDLE_VECTORIZE_HINTS_H
