//===- PrivateBuffers.h - buffers that threads do not share -----*- C++ -*-===//

#ifndef HEDDLE_TARGETS_GPU_PRIVATEBUFFERS_H
#define HEDDLE_TARGETS_GPU_PRIVATEBUFFERS_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace heddle {

/// Replaces a memref.alloc by a small memref.alloca for each thread, which drivers and code generators keep in
/// registers. This applies to a buffer outside of loops over threads if each iteration of these loops reads and writes
/// only its own part of the buffer, at constant indices. `threads` is the number of threads of a workgroup; buffers of
/// loops with more iterations are not replaced.
void makePrivateBuffers(mlir::FunctionOpInterface kernel, int64_t threads);

} // namespace heddle

#endif // HEDDLE_TARGETS_GPU_PRIVATEBUFFERS_H
