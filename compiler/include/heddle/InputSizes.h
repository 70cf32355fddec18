//===- InputSizes.h - sizes in input files ----------------------*- C++ -*-===//

#ifndef HEDDLE_INPUTSIZES_H
#define HEDDLE_INPUTSIZES_H

#include "heddle/Import.h"
#include "heddle/WeightStore.h"

namespace heddle {

/// Returns the value of size `name` according to the shapes of the tensors in a file. Emits an error at `loc` if no
/// tensor determines the value, if the value is not in low..high, if the rank of a tensor differs from the rank in its
/// entry in `places`, if an extent is not a multiple of SizePlace::factor, or if tensors contradict each other.
mlir::FailureOr<int64_t> sizeIn(const WeightStore &file, mlir::Location loc, llvm::StringRef name,
                                llvm::ArrayRef<SizePlace> places, int64_t low, int64_t high);

/// Imports a model with fixed sizes. `open` contains the dimensions to which neither the model nor `--dim` gives a
/// fixed size. The shapes of the tensors in the file `input` determine the sizes of these dimensions. A dimension that
/// occurs in no input and has a default range (OpenDim::fallback) gets the maximum of this range.
mlir::FailureOr<Model> importAtSizes(mlir::MLIRContext &context, llvm::StringRef model, ImportOptions options,
                                     llvm::ArrayRef<OpenDim> open, llvm::StringRef input);

} // namespace heddle

#endif // HEDDLE_INPUTSIZES_H
