//===- PrivateBuffers.h - buffers that threads do not share -----*- C++ -*-===//

#ifndef HEDDLE_TARGETS_GPU_PRIVATEBUFFERS_H
#define HEDDLE_TARGETS_GPU_PRIVATEBUFFERS_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace heddle {

/// Gives each thread a small buffer of its own for every memref.alloc of a kernel, outside of loops over threads, of
/// which an iteration of these reads and writes its own part alone, at places that are constants: a memref.alloca that
/// drivers and code generators keep in registers. `threads` are those of a workgroup, and iterations of a loop at most
/// as many.
void makePrivateBuffers(mlir::FunctionOpInterface kernel, int64_t threads);

} // namespace heddle

#endif // HEDDLE_TARGETS_GPU_PRIVATEBUFFERS_H
