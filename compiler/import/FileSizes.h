//===- FileSizes.h - sizes in ranges of .mlir files -------------*- C++ -*-===//
//
// A file whose module has `heddle.sizes` is a model for all sizes in these ranges: wherever a
// number of it, in types or attributes, an integer or a float, is a multiple of a prime that
// stands for a size, the size is meant. It is imported like a model that leaves these dimensions
// open: each import has numbers in the place of the primes, so that what stands for a size further
// on is not the file's choice.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IMPORT_FILESIZES_H
#define HEDDLE_IMPORT_FILESIZES_H

#include "heddle/Import.h"

namespace heddle {

/// Adds the ranges of the sizes of an .mlir file to `options.ranges`, but those that `options` has a number or a
/// narrower range for. An error, if the file's sizes are none, or the module is not valid at a corner of the ranges.
mlir::LogicalResult addFileRanges(mlir::MLIRContext &context, llvm::StringRef path, ImportOptions &options);

/// Puts the numbers of `options.dims` in the place of a file's sizes, whose names are returned.
mlir::FailureOr<std::vector<std::string>> fixFileSizes(mlir::ModuleOp module, const ImportOptions &options);

} // namespace heddle

#endif // HEDDLE_IMPORT_FILESIZES_H
