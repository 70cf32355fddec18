//===- Hints.h - what lowerings tell the vectoriser -------------*- C++ -*-===//

#ifndef HEDDLE_VECTORIZE_HINTS_H
#define HEDDLE_VECTORIZE_HINTS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace heddle {

/// On a linalg op: an input whose element the body does not use is brought into the cache
/// instead of being read, the one that the value says (memref.prefetch's locality).
inline constexpr llvm::StringLiteral prefetchAttr = "heddle.prefetch";

/// On a loop: what is in it hardly ever runs, and is to be little code.
inline constexpr llvm::StringLiteral rareAttr = "heddle.rare";

/// What keeps LLVM from unrolling a loop.
mlir::LLVM::LoopAnnotationAttr keepRolled(mlir::MLIRContext *context);

} // namespace heddle

#endif // HEDDLE_VECTORIZE_HINTS_H
