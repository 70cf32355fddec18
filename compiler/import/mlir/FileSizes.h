//===- FileSizes.h - .mlir files with sizes in ranges -----------*- C++ -*-===//
//
// A file whose module has the annotation `heddle.sizes`, a list of sizes with ranges and placeholders, is a model for
// all sizes in these ranges. If an extent, an offset of a slice, a width of padding or a bound of an input is a
// multiple of a placeholder, it denotes a multiple of the size; other numbers that are computed from sizes are results
// of `heddle.size` operations. The file is imported like a model with dimensions in ranges: each import replaces the
// placeholders of the file by placeholders of its own, so later stages do not depend on the file's placeholders.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IMPORT_MLIR_FILESIZES_H
#define HEDDLE_IMPORT_MLIR_FILESIZES_H

#include "sizes/ImportTask.h"

namespace heddle {

/// Adds the ranges of an .mlir file's sizes to `options.ranges`, except those for which `options` already has a number
/// or a narrower range. Emits an error if the file's sizes are invalid, or if `options` has a number or a range outside
/// the file's range.
mlir::LogicalResult addFileRanges(mlir::MLIRContext &context, llvm::StringRef path, ImportTask &options);

/// Replaces the placeholders of a file by the sizes in `options.dims`. Returns the names of the file's sizes.
mlir::FailureOr<std::vector<std::string>> fixFileSizes(mlir::ModuleOp module, const ImportTask &options);

} // namespace heddle

#endif // HEDDLE_IMPORT_MLIR_FILESIZES_H
