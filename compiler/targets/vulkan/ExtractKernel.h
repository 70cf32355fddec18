//===- ExtractKernel.h - makes a SPIR-V module of one kernel ----*- C++ -*-===//

#ifndef HEDDLE_TARGETS_VULKAN_EXTRACTKERNEL_H
#define HEDDLE_TARGETS_VULKAN_EXTRACTKERNEL_H

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace heddle {

/// Returns a module with the entry point `kernel` of `code` and everything that it uses. Drivers compile smaller
/// modules faster, and for each entry point some drivers count the workgroup memory of all entry points of the module.
mlir::OwningOpRef<mlir::spirv::ModuleOp> extractKernel(mlir::spirv::ModuleOp code, llvm::StringRef kernel);

} // namespace heddle

#endif // HEDDLE_TARGETS_VULKAN_EXTRACTKERNEL_H
