//===- PtxCodegen.h - LLVM IR of kernels made into PTX ----------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_CUDA_PTXCODEGEN_H
#define HEDDLE_TARGETS_CUDA_PTXCODEGEN_H

#include "mlir/IR/Location.h"
#include "llvm/IR/Module.h"

namespace heddle {

/// The least that there is code for, which the first lines of its text name as well: compute capability 8.0, and the
/// version of PTX that drivers of CUDA 11.0 know.
inline constexpr llvm::StringLiteral ptxProcessor = "sm_80", ptxFeatures = "+ptx70";

/// Optimises the module and returns its text.
mlir::FailureOr<std::vector<char>> emitPtx(mlir::Location loc, llvm::Module &module);

} // namespace heddle

#endif // HEDDLE_TARGETS_CUDA_PTXCODEGEN_H
