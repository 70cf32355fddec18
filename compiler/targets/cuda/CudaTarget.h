//===- CudaTarget.h - NVIDIA GPUs, through PTX ------------------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_CUDA_CUDATARGET_H
#define HEDDLE_TARGETS_CUDA_CUDATARGET_H

#include "targets/gpu/GpuTarget.h"

namespace heddle {

/// The target for NVIDIA GPUs of compute capability 8.0 or higher. It generates PTX for compute capability 8.0, which
/// devices of higher capability also run.
class CudaTarget : public GpuTarget {
public:
  CudaTarget();

  std::unique_ptr<SizeArithmetic> makeSizeArithmetic(mlir::FunctionOpInterface func,
                                                     const Sizes &sizes) const override;

private:
  std::string describeDevice() const override;
  /// Returns false: a kernel cannot compute the number of workgroups of a later launch, because the runtime records all
  /// launches of a call, with their numbers of workgroups, in a CUDA graph before the call.
  bool countsWorkgroups() const override { return false; }
  void addCode(mlir::OpPassManager &manager) const override;
  mlir::FailureOr<std::unique_ptr<DeviceCode>> findCode(mlir::ModuleOp module) const override;
};

} // namespace heddle

#endif // HEDDLE_TARGETS_CUDA_CUDATARGET_H
