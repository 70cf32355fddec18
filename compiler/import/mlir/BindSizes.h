//===- BindSizes.h - sizes of named dimensions ------------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_MLIR_BINDSIZES_H
#define HEDDLE_IMPORT_MLIR_BINDSIZES_H

#include "sizes/ImportTask.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Replaces `?` in the types of the arguments of `main` by the sizes in `options.dims` and infers all other shapes. The
/// arguments are tensors whose `heddle.dims` name their dimensions. `options.dims` may also contain sizes that the file
/// fixes, if they are equal. `known` contains the names of further sizes of the file.
mlir::LogicalResult bindSizes(mlir::Location loc, mlir::func::FuncOp main, const ImportTask &options,
                              std::vector<std::string> known);

} // namespace heddle

#endif // HEDDLE_IMPORT_MLIR_BINDSIZES_H
