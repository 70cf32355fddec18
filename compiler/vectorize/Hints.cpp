//===- Hints.cpp - what vectorised loops tell LLVM ------------------------===//

#include "Hints.h"

using namespace mlir;

LLVM::LoopAnnotationAttr heddle::keepRolled(MLIRContext *context) {
  auto unroll = LLVM::LoopUnrollAttr::get(context, BoolAttr::get(context, true), {}, {}, {}, {}, {}, {});
  return LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, unroll, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});
}
