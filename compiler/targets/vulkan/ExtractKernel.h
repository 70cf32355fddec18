//===- ExtractKernel.h - makes a SPIR-V module of one kernel ----*- C++ -*-===//

#ifndef HEDDLE_TARGETS_VULKAN_EXTRACTKERNEL_H
#define HEDDLE_TARGETS_VULKAN_EXTRACTKERNEL_H

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace heddle {

/// Returns a module with the entry point `kernel` of `code` and all symbols that the kernel uses. A library contains a
/// module for each kernel, because drivers compile smaller modules faster. Moreover, some drivers count the workgroup
/// memory of all entry points of a module as the workgroup memory of each of them.
mlir::OwningOpRef<mlir::spirv::ModuleOp> extractKernel(mlir::spirv::ModuleOp code, llvm::StringRef kernel);

} // namespace heddle

#endif // HEDDLE_TARGETS_VULKAN_EXTRACTKERNEL_H
