//===- ExtractKernel.h - a SPIR-V module of one kernel ----------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_VULKAN_EXTRACTKERNEL_H
#define HEDDLE_TARGETS_VULKAN_EXTRACTKERNEL_H

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace heddle {

/// Returns a module with the entry point `kernel` of `code` and all that it needs. Drivers compile smaller modules
/// faster, and some count the workgroup memory of all entry points of a module for each of them.
mlir::OwningOpRef<mlir::spirv::ModuleOp> extractKernel(mlir::spirv::ModuleOp code, llvm::StringRef kernel);

} // namespace heddle

#endif // HEDDLE_TARGETS_VULKAN_EXTRACTKERNEL_H
