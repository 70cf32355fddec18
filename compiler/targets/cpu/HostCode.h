//===- HostCode.h - host code of a device's library -------------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_CPU_HOSTCODE_H
#define HEDDLE_TARGETS_CPU_HOSTCODE_H

#include "CpuTarget.h"

namespace heddle {

/// Makes the host code of a library whose kernels run on a device: the functions that C programs call, compiled for any
/// CPU of the host's architecture. Emits an error at `loc` on failure. `host` and the device program of `interface`
/// must outlive the result.
mlir::FailureOr<std::unique_ptr<TargetCode>> makeHostCode(mlir::Location loc, const CpuTarget &host,
                                                          const ModelInterface &interface);

} // namespace heddle

#endif // HEDDLE_TARGETS_CPU_HOSTCODE_H
