//===- GpuTarget.h - devices with workgroups and threads --------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_GPU_GPUTARGET_H
#define HEDDLE_TARGETS_GPU_GPUTARGET_H

#include "DeviceCode.h"

#include "heddle/Target.h"

#include "targets/cpu/CpuTarget.h"

namespace heddle {

/// What kinds of GPUs have in common: stages tile to loops, the mapping to workgroups and threads, the list of launches
/// that a device is told, and the host's side of a library. A kind adds the language of its kernels.
class GpuTarget : public Target {
public:
  /// The largest that a device may ask offsets of buffers to be a multiple of.
  static constexpr uint64_t bufferAlignment = 256;

  static std::string getDefaultCpus(const TargetOptions &options) { return "native"; }

  llvm::StringRef getDevice() const override { return kind->name; }
  llvm::StringRef getStrategies() const override { return "gpu"; }
  llvm::StringRef getName() const override { return kind->name; }
  std::string describe() const override;
  void addStage(mlir::OpPassManager &manager, Stage stage, llvm::ArrayRef<std::string> strategies) const override;
  mlir::LogicalResult addDeviceProgram(mlir::ModuleOp module, ModelInterface &interface) const override;
  mlir::LogicalResult addDeviceCode(mlir::ModuleOp module, ModelInterface &interface) const override;
  mlir::FailureOr<std::unique_ptr<TargetCode>> translate(llvm::ArrayRef<TargetVariant> variants,
                                                         const ModelInterface &interface) const override;
  std::string whyNotHere() const override { return host->whyNotHere(); }

  /// Completes a target of the options' kind: the triple is that of the programs that open the device. Errors at `loc`
  /// name what is not there.
  static mlir::FailureOr<std::unique_ptr<Target>> create(std::unique_ptr<GpuTarget> target, mlir::Location loc,
                                                         const TargetOptions &options);

protected:
  /// What code is for, without the host: "Vulkan-1.1".
  virtual std::string describeDevice() const = 0;
  /// Whether a launch reads how many workgroups it has when it begins.
  virtual bool countsWorkgroups() const { return true; }
  /// Adds what makes code of a gpu.module: @main is left with gpu.launch_func.
  virtual void addCode(mlir::OpPassManager &manager) const = 0;
  /// What that left; errors say what is not there.
  virtual mlir::FailureOr<std::unique_ptr<DeviceCode>> findCode(mlir::ModuleOp module) const = 0;

private:
  void addLLVM(mlir::OpPassManager &manager) const;

  const DeviceKind *kind = nullptr;
  std::unique_ptr<CpuTarget> host;
};

// How each kind's target is made; errors at `loc` name what is unknown.
#define HEDDLE_DEVICE(name, Stem, language, extension)                                                                 \
  mlir::FailureOr<std::unique_ptr<Target>> create##Stem##Target(mlir::Location loc, const TargetOptions &options);
#include "devices/devices.def"

} // namespace heddle

#endif // HEDDLE_TARGETS_GPU_GPUTARGET_H
