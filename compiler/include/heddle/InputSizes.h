//===- InputSizes.h - sizes that input files tell ---------------*- C++ -*-===//

#ifndef HEDDLE_INPUTSIZES_H
#define HEDDLE_INPUTSIZES_H

#include "heddle/Import.h"
#include "heddle/WeightStore.h"

namespace heddle {

/// What the tensors of a file say the size `name` is, which lies in low..high. An error at `loc` where none says it,
/// one has another rank, or they contradict each other.
mlir::FailureOr<int64_t> sizeIn(const WeightStore &file, mlir::Location loc, llvm::StringRef name,
                                llvm::ArrayRef<SizePlace> places, int64_t low, int64_t high);

/// Imports a model that leaves dimensions open at the sizes that the tensors of the file `input` have; where none can
/// have one, at the largest that it is by itself.
mlir::FailureOr<Model> importAsTold(mlir::MLIRContext &context, llvm::StringRef model, ImportOptions options,
                                    llvm::ArrayRef<OpenDim> open, llvm::StringRef input);

} // namespace heddle

#endif // HEDDLE_INPUTSIZES_H
