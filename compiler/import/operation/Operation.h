//===- Operation.h - one operation, given in words --------------*- C++ -*-===//
//
// A name and knobs, as in 'attention hq=12 s=512 d=64 causal=lower_right'; operands and
// results are f32, a knob without a value is 1. `heddle --help-operation NAME` lists them.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IMPORT_OPERATION_H
#define HEDDLE_IMPORT_OPERATION_H

#include "heddle/Import.h"

namespace heddle {

/// Whether `text` starts with the name of an operation that importOperation knows.
bool namesOperation(llvm::StringRef text);

/// Adds the sizes that lie in ranges to options.ranges, in the order in which an operation has them: 'linear m=1..512
/// ..'.
mlir::LogicalResult addOperationRanges(mlir::MLIRContext &context, llvm::StringRef text, ImportOptions &options);

/// Imports e.g. 'attention b=1 hq=12 s=512 d=64 causal=lower_right': a function
/// that is this one operation, with its operands as arguments. `options.dims` has what its sizes in ranges are.
mlir::FailureOr<Model> importOperation(mlir::MLIRContext &context, llvm::StringRef text, const ImportOptions &options);

} // namespace heddle

#endif // HEDDLE_IMPORT_OPERATION_H
