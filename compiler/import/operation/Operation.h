//===- Operation.h - import of quoted operations ----------------*- C++ -*-===//
//
// A quoted operation is the name of an operation followed by knobs, as in 'attention hq=12 s=512 d=64
// causal=lower_right'. Operands and results are f32 unless the knob `type` selects another type. A knob without a value
// has the value 1. `heddle --help-operation NAME` lists the knobs.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IMPORT_OPERATION_H
#define HEDDLE_IMPORT_OPERATION_H

#include "../sizes/ImportTask.h"

namespace heddle {

/// Whether `text` begins with the name of a quoted operation.
bool namesOperation(llvm::StringRef text);

/// Sets `options.ranges` to the sizes of the operation that lie in ranges, such as m in 'linear m=1..512 n=8 k=8', in
/// the order in which the operation reads its knobs. Emits an error if the user gave sizes with the option --dim.
mlir::LogicalResult addOperationRanges(mlir::MLIRContext &context, llvm::StringRef text, ImportTask &options);

/// Imports a quoted operation, such as 'attention b=1 hq=12 s=512 d=64 causal=lower_right', as a function that computes
/// this operation. The arguments of the function are the operands, except for constant weights. `options.dims` contains
/// the values or placeholders of the sizes in ranges.
mlir::FailureOr<Model> importOperation(mlir::MLIRContext &context, llvm::StringRef text, const ImportTask &options);

} // namespace heddle

#endif // HEDDLE_IMPORT_OPERATION_H
