//===- Operation.h - import of quoted operations ----------------*- C++ -*-===//
//
// A quoted operation is a name with knobs, as in 'attention hq=12 s=512 d=64 causal=lower_right'. Operands and results
// are f32 by default; a knob without a value is 1. `heddle --help-operation NAME` lists the knobs.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IMPORT_OPERATION_H
#define HEDDLE_IMPORT_OPERATION_H

#include "../sizes/ImportTask.h"

namespace heddle {

/// Whether `text` starts with the name of a quoted operation.
bool namesOperation(llvm::StringRef text);

/// Adds the operation's sizes in ranges to `options.ranges`, in the order in which the operation reads them, as in
/// 'linear m=1..512 n=8 k=8'.
mlir::LogicalResult addOperationRanges(mlir::MLIRContext &context, llvm::StringRef text, ImportTask &options);

/// Imports, for example, 'attention b=1 hq=12 s=512 d=64 causal=lower_right' as a function that consists of this
/// operation and has its operands as arguments. `options.dims` has the values of sizes in ranges. Emits errors.
mlir::FailureOr<Model> importOperation(mlir::MLIRContext &context, llvm::StringRef text, const ImportTask &options);

} // namespace heddle

#endif // HEDDLE_IMPORT_OPERATION_H
