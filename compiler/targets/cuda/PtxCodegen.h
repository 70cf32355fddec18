//===- PtxCodegen.h - LLVM IR to PTX ----------------------------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_CUDA_PTXCODEGEN_H
#define HEDDLE_TARGETS_CUDA_PTXCODEGEN_H

#include "mlir/IR/Location.h"
#include "llvm/IR/Module.h"

namespace heddle {

/// LLVM's names of the oldest supported device and PTX version, which the PTX text declares: compute capability 8.0,
/// and the PTX version of CUDA 11.0.
inline constexpr llvm::StringLiteral ptxProcessor = "sm_80", ptxFeatures = "+ptx70";

/// Optimises the module and returns its PTX text. Emits an error at `loc` if LLVM cannot generate PTX.
mlir::FailureOr<std::vector<char>> emitPtx(mlir::Location loc, llvm::Module &module);

} // namespace heddle

#endif // HEDDLE_TARGETS_CUDA_PTXCODEGEN_H
