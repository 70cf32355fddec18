//===- FileSizes.h - sizes in ranges of .mlir files -------------*- C++ -*-===//
//
// A file whose module has `heddle.sizes` is a model for all sizes in these ranges: wherever an
// extent of it, or the place of a slice, a width of padding or a bound of an input, is a multiple
// of what stands for a size, the size is meant; numbers that are computed of sizes are `heddle.size`.
// It is imported like a model that leaves these dimensions open: each import has other numbers, so
// that what stands for a size further on is not the file's choice.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IMPORT_MLIR_FILESIZES_H
#define HEDDLE_IMPORT_MLIR_FILESIZES_H

#include "heddle/Import.h"

namespace heddle {

/// Adds the ranges of the sizes of an .mlir file to `options.ranges`, but those that `options` has a number or a
/// narrower range for. An error, if the file's sizes are none.
mlir::LogicalResult addFileRanges(mlir::MLIRContext &context, llvm::StringRef path, ImportOptions &options);

/// Puts the numbers of `options.dims` in the place of a file's sizes, whose names are returned.
mlir::FailureOr<std::vector<std::string>> fixFileSizes(mlir::ModuleOp module, const ImportOptions &options);

} // namespace heddle

#endif // HEDDLE_IMPORT_MLIR_FILESIZES_H
