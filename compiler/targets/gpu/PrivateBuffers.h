//===- PrivateBuffers.h - buffers that threads do not share -----*- C++ -*-===//

#ifndef HEDDLE_TARGETS_GPU_PRIVATEBUFFERS_H
#define HEDDLE_TARGETS_GPU_PRIVATEBUFFERS_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace heddle {

/// Replaces memref.alloc by a small memref.alloca for each thread, which drivers and code generators keep in registers.
/// This applies to buffers outside of loops over threads if each iteration of such a loop reads and writes only its own
/// part, at constant indices. `threads` is the number of threads of a workgroup; a loop over threads has at most this
/// many iterations.
void makePrivateBuffers(mlir::FunctionOpInterface kernel, int64_t threads);

} // namespace heddle

#endif // HEDDLE_TARGETS_GPU_PRIVATEBUFFERS_H
