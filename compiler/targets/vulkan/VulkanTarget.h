//===- VulkanTarget.h - GPUs and others that Vulkan reaches -----*- C++ -*-===//

#ifndef HEDDLE_TARGETS_VULKAN_VULKANTARGET_H
#define HEDDLE_TARGETS_VULKAN_VULKANTARGET_H

#include "heddle/Target.h"

#include "targets/cpu/CpuTarget.h"

namespace heddle {

class VulkanTarget : public Target {
public:
  static constexpr DeviceKind kind = {"vulkan", "[:N or NAME]", "SPIR-V", ".spv"};

  /// The largest that a device may ask offsets of buffers to be a multiple of.
  static constexpr uint64_t bufferAlignment = 256;

  /// The triple is that of the programs that open the device; errors at `loc` name what is not there.
  static mlir::FailureOr<std::unique_ptr<Target>> create(mlir::Location loc, const TargetOptions &options);
  static std::string getDefaultCpus(const TargetOptions &options) { return "native"; }

  llvm::StringRef getDevice() const override { return kind.name; }
  llvm::StringRef getStrategies() const override { return "gpu"; }
  llvm::StringRef getName() const override { return kind.name; }
  std::string describe() const override;
  void addStage(mlir::OpPassManager &manager, Stage stage, llvm::ArrayRef<std::string> strategies) const override;
  mlir::LogicalResult addDeviceProgram(mlir::ModuleOp module, ModelInterface &interface) const override;
  mlir::FailureOr<std::unique_ptr<TargetCode>> translate(llvm::ArrayRef<TargetVariant> variants,
                                                         const ModelInterface &interface) const override;
  std::string whyNotHere() const override { return host->whyNotHere(); }

private:
  std::unique_ptr<CpuTarget> host;
};

} // namespace heddle

#endif // HEDDLE_TARGETS_VULKAN_VULKANTARGET_H
