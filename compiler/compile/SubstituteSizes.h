//===- SubstituteSizes.h - replaces placeholders by sizes -------*- C++ -*-===//

#ifndef HEDDLE_COMPILE_SUBSTITUTESIZES_H
#define HEDDLE_COMPILE_SUBSTITUTESIZES_H

#include "heddle/SizeArithmetic.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>

namespace heddle {

/// Replaces placeholders for sizes (Sizes.h) by the sizes of a call, which the arena contains. `modules` are the
/// modules of one model, one for each target; `others` are the same, compiled with another set of placeholders. A
/// constant that is equal in both does not depend on sizes; a constant that is in both the same multiple of the same
/// product of sizes is replaced by this multiple.
/// No: something else differs; nothing is changed, and `difference` names the function.
/// Unsure: a constant may be a product of sizes plus a fixed number, or may only look like it. Call again with a
/// further set of placeholders as `others` and the previous modules as `unsure`: both must explain each constant in the
/// same way.
enum class SizesSubstituted { No, Unsure, Yes };
/// The type of Target::makeSizeArithmetic.
using MakeSizeArithmetic =
    llvm::function_ref<std::unique_ptr<SizeArithmetic>(mlir::FunctionOpInterface func, const Sizes &sizes)>;
SizesSubstituted substituteSizes(llvm::ArrayRef<mlir::OwningOpRef<mlir::ModuleOp>> modules,
                                 llvm::ArrayRef<mlir::OwningOpRef<mlir::ModuleOp>> others,
                                 llvm::ArrayRef<mlir::OwningOpRef<mlir::ModuleOp>> unsure,
                                 MakeSizeArithmetic makeArithmetic, std::string &difference);

} // namespace heddle

#endif // HEDDLE_COMPILE_SUBSTITUTESIZES_H
