//===- ExtractKernel.h - a SPIR-V module of one kernel ----------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_VULKAN_EXTRACTKERNEL_H
#define HEDDLE_TARGETS_VULKAN_EXTRACTKERNEL_H

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace heddle {

/// What `kernel`, an entry point of `code`, needs of it, as a module. Drivers compile faster what they don't have to skip,
/// and some count the workgroup memory of all entry points as that of each.
mlir::OwningOpRef<mlir::spirv::ModuleOp> extractKernel(mlir::spirv::ModuleOp code, llvm::StringRef kernel);

} // namespace heddle

#endif // HEDDLE_TARGETS_VULKAN_EXTRACTKERNEL_H
