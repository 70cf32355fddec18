//===- BindSizes.h - sizes of named dimensions ------------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_MLIR_BINDSIZES_H
#define HEDDLE_IMPORT_MLIR_BINDSIZES_H

#include "sizes/ImportTask.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Replaces `?` in the types of the arguments of `main` by the sizes in `options.dims`, infers all other shapes and
/// checks the extents of all operations. The arguments are tensors whose dimensions are named by the annotation
/// `heddle.dims`. `options.dims` may also contain a size for a dimension that is fixed in the file, if it is equal to
/// the fixed size. `known` contains the names of the sizes that the annotation `heddle.sizes` of the file declares.
mlir::LogicalResult bindSizes(mlir::Location loc, mlir::func::FuncOp main, const ImportTask &options,
                              std::vector<std::string> known);

} // namespace heddle

#endif // HEDDLE_IMPORT_MLIR_BINDSIZES_H
