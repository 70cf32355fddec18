//===- GpuTarget.h - devices with workgroups and threads --------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_GPU_GPUTARGET_H
#define HEDDLE_TARGETS_GPU_GPUTARGET_H

#include "DeviceCode.h"

#include "heddle/Target.h"

#include "targets/cpu/CpuTarget.h"

namespace heddle {

/// The common part of the targets for all kinds of GPUs: the stages from tile to loops, the mapping of loops to
/// workgroups and threads, the list of launches that a device runs, and the host code of a library. A subclass
/// generates the kernels in the language of its kind of device.
class GpuTarget : public Target {
public:
  /// The largest alignment that a device may require for offsets of buffers, in bytes.
  static constexpr uint64_t bufferAlignment = 256;

  static std::string getDefaultCpus(const TargetOptions &options) { return "native"; }

  llvm::StringRef getDevice() const override { return kind->name; }
  llvm::StringRef getName() const override { return kind->name; }
  std::string describe() const override;
  void addStage(mlir::OpPassManager &manager, Stage stage, llvm::ArrayRef<std::string> strategies) const override;
  mlir::LogicalResult addDeviceProgram(mlir::ModuleOp module, ModelInterface &interface) const override;
  mlir::LogicalResult addDeviceCode(mlir::ModuleOp module, ModelInterface &interface) const override;
  mlir::FailureOr<std::unique_ptr<TargetCode>> translate(llvm::ArrayRef<TargetVariant> variants,
                                                         const ModelInterface &interface) const override;
  std::string whyNotHere() const override { return host->whyNotHere(); }

  /// Sets the kind of device and the host's CPU target of `target`, and returns `target`. The triple in the options is
  /// the triple of the host programs that call the library. Emits an error at `loc` if an option is not supported.
  static mlir::FailureOr<std::unique_ptr<Target>> create(std::unique_ptr<GpuTarget> target, mlir::Location loc,
                                                         const TargetOptions &options);

protected:
  /// Returns the part of describe() that describes the device, such as "Vulkan-1.1".
  virtual std::string describeDevice() const = 0;
  /// Returns whether a kernel may compute the number of workgroups of a later launch.
  virtual bool countsWorkgroups() const { return true; }
  /// Adds passes that convert the gpu.module to the dialect from which `findCode` generates code, such as the SPIR-V
  /// dialect or the LLVM dialect. The passes keep the operations gpu.launch_func of @main, from which addDeviceProgram
  /// reads the list of launches.
  virtual void addCode(mlir::OpPassManager &manager) const = 0;
  /// Returns the code of the kernels in a module on which the passes of addCode ran, or emits an error.
  virtual mlir::FailureOr<std::unique_ptr<DeviceCode>> findCode(mlir::ModuleOp module) const = 0;

private:
  void addLLVM(mlir::OpPassManager &manager) const;

  const DeviceKind *kind = nullptr; // set by `create`
  std::unique_ptr<CpuTarget> host;  // the target for the host code of a library
};

// For each kind of device, declares the function that creates its target, such as createCudaTarget. These functions
// emit an error at `loc` if an option is not supported.
#define HEDDLE_DEVICE(name, Stem, language, extension)                                                                 \
  mlir::FailureOr<std::unique_ptr<Target>> create##Stem##Target(mlir::Location loc, const TargetOptions &options);
#include "devices/devices.def"

} // namespace heddle

#endif // HEDDLE_TARGETS_GPU_GPUTARGET_H
