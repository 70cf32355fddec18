//===- SubstituteSizes.h - replaces placeholders by sizes -------*- C++ -*-===//

#ifndef HEDDLE_COMPILE_SUBSTITUTESIZES_H
#define HEDDLE_COMPILE_SUBSTITUTESIZES_H

#include "heddle/SizeArithmetic.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>

namespace heddle {

/// The result of substituteSizes().
///   No      The modules differ in ways that sizes do not explain, so the code is not right for all sizes. `difference`
///           names the function that differs. This is also the result if a function that depends on sizes does not have
///           the arena as an argument; `difference` then names any function.
///   Unsure  A constant may be a multiple of a product of sizes plus a fixed number, or may only look like such a sum.
///           The caller must compile the modules with a further set of placeholders and call substituteSizes() again,
///           with these modules as `others` and the previous `others` as `unsure`. The comparisons with both must
///           explain each constant in the same way.
///   Yes     All placeholders are replaced.
enum class SizesSubstituted { No, Unsure, Yes };

/// A function with the signature of Target::makeSizeArithmetic.
using MakeSizeArithmetic =
    llvm::function_ref<std::unique_ptr<SizeArithmetic>(mlir::FunctionOpInterface func, const Sizes &sizes)>;
/// Replaces placeholders for sizes (Sizes.h) by the sizes of a call, which the arena contains. `modules` are the
/// modules of one model, one for each target; `others` are the same modules, compiled with another set of placeholders.
/// A constant that is equal in `modules` and `others` does not depend on sizes. A constant that is the same multiple of
/// the same product of sizes in both is replaced by this multiple. `unsure` is empty in the first call.
SizesSubstituted substituteSizes(llvm::ArrayRef<mlir::OwningOpRef<mlir::ModuleOp>> modules,
                                 llvm::ArrayRef<mlir::OwningOpRef<mlir::ModuleOp>> others,
                                 llvm::ArrayRef<mlir::OwningOpRef<mlir::ModuleOp>> unsure,
                                 MakeSizeArithmetic makeArithmetic, std::string &difference);

} // namespace heddle

#endif // HEDDLE_COMPILE_SUBSTITUTESIZES_H
