//===- OpenSizes.h - sizes in the place of what stood for them --*- C++ -*-===//

#ifndef HEDDLE_COMPILE_OPENSIZES_H
#define HEDDLE_COMPILE_OPENSIZES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace heddle {

/// Puts the sizes of a call, which the arena holds, into the modules of a model, one for each target, in the place of
/// the primes that stood for them up to stage llvm (Sizes.h). `others` are of the same model with other primes.
/// Whatever is the same in both does not depend on sizes; a constant that is the same multiple of the same product of
/// primes becomes that multiple of the sizes. If they differ in anything else, something depends on what stood for a
/// size: then nothing is changed, and `difference` names the function. Nor is where a number is explained in a way that
/// chance may explain as well: then others, with a third choice of primes, have to be explained alike, and these are
/// `unsure`.
enum class SizesOpened { No, Unsure, Yes };
SizesOpened openSizes(llvm::ArrayRef<mlir::OwningOpRef<mlir::ModuleOp>> modules,
                      llvm::ArrayRef<mlir::OwningOpRef<mlir::ModuleOp>> others,
                      llvm::ArrayRef<mlir::OwningOpRef<mlir::ModuleOp>> unsure, std::string &difference);

} // namespace heddle

#endif // HEDDLE_COMPILE_OPENSIZES_H
