//===- VulkanTarget.h - GPUs that Vulkan supports ---------------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_VULKAN_VULKANTARGET_H
#define HEDDLE_TARGETS_VULKAN_VULKANTARGET_H

#include "targets/gpu/GpuTarget.h"

namespace heddle {

/// The target for devices that support Vulkan 1.1. Kernels are SPIR-V.
class VulkanTarget : public GpuTarget {
public:
  VulkanTarget();

  std::unique_ptr<SizeArithmetic> makeSizeArithmetic(mlir::FunctionOpInterface func,
                                                     const Sizes &sizes) const override;

private:
  std::string describeDevice() const override { return "Vulkan-1.1"; }
  void addCode(mlir::OpPassManager &manager) const override;
  mlir::FailureOr<std::unique_ptr<DeviceCode>> findCode(mlir::ModuleOp module) const override;
};

} // namespace heddle

#endif // HEDDLE_TARGETS_VULKAN_VULKANTARGET_H
