//===- OpenSizes.h - sizes in the place of what stood for them --*- C++ -*-===//

#ifndef HEDDLE_COMPILE_OPENSIZES_H
#define HEDDLE_COMPILE_OPENSIZES_H

#include "heddle/SizeArithmetic.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>

namespace heddle {

/// Replaces the numbers that stand for sizes (Sizes.h) by the sizes of a call, which the arena holds. `modules` are those
/// of one model, one for each target; `others` are the same, compiled with another choice of numbers. A constant that is
/// the same in both is no size; one that is the same multiple of the same product is that multiple of the sizes.
/// No: something else differs; nothing is changed, and `difference` names the function.
/// Unsure: some constant may be a product plus a fixed number, or may only look like it. Call again with a further choice
/// as `others` and the previous one as `unsure`: both must explain each constant in the same way.
enum class SizesOpened { No, Unsure, Yes };
/// Target::makeSizeArithmetic
using MakeSizeArithmetic =
    llvm::function_ref<std::unique_ptr<SizeArithmetic>(mlir::FunctionOpInterface func, const Sizes &sizes)>;
SizesOpened openSizes(llvm::ArrayRef<mlir::OwningOpRef<mlir::ModuleOp>> modules,
                      llvm::ArrayRef<mlir::OwningOpRef<mlir::ModuleOp>> others,
                      llvm::ArrayRef<mlir::OwningOpRef<mlir::ModuleOp>> unsure, MakeSizeArithmetic makeArithmetic,
                      std::string &difference);

} // namespace heddle

#endif // HEDDLE_COMPILE_OPENSIZES_H
