//===- CudaTarget.h - NVIDIA GPUs, through PTX ------------------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_CUDA_CUDATARGET_H
#define HEDDLE_TARGETS_CUDA_CUDATARGET_H

#include "targets/gpu/GpuTarget.h"

namespace heddle {

/// GPUs of compute capability 8.0 or higher. Devices of higher capability also run PTX for lower ones.
class CudaTarget : public GpuTarget {
public:
  CudaTarget();

  std::unique_ptr<SizeArithmetic> makeSizeArithmetic(mlir::FunctionOpInterface func,
                                                     const Sizes &sizes) const override;

private:
  std::string describeDevice() const override;
  /// Returns false, because the grid of a launch is recorded before the call, and a kernel cannot change it.
  bool countsWorkgroups() const override { return false; }
  void addCode(mlir::OpPassManager &manager) const override;
  mlir::FailureOr<std::unique_ptr<DeviceCode>> findCode(mlir::ModuleOp module) const override;
};

} // namespace heddle

#endif // HEDDLE_TARGETS_CUDA_CUDATARGET_H
