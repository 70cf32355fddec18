//===- BindSizes.h - numbers for the sizes that a file names ----*- C++ -*-===//

#ifndef HEDDLE_IMPORT_MLIR_BINDSIZES_H
#define HEDDLE_IMPORT_MLIR_BINDSIZES_H

#include "heddle/Import.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Puts the numbers of `options.dims` in the place of `?` in the arguments of `main`, which are tensors and whose
/// `heddle.dims` name them, and lets all other shapes follow. Sizes that are part of the file may be repeated. `known`
/// are names of others that it has.
mlir::LogicalResult bindSizes(mlir::Location loc, mlir::func::FuncOp main, const ImportOptions &options,
                              std::vector<std::string> known);

} // namespace heddle

#endif // HEDDLE_IMPORT_MLIR_BINDSIZES_H
