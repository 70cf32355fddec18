//===- PrivateBuffers.h - buffers that threads do not share -----*- C++ -*-===//

#ifndef HEDDLE_TARGETS_GPU_PRIVATEBUFFERS_H
#define HEDDLE_TARGETS_GPU_PRIVATEBUFFERS_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace heddle {

/// Replaces buffers (memref.alloc) of a workgroup by small private buffers (memref.alloca) of each thread, which
/// drivers and code generators keep in registers. A buffer outside of loops over threads is replaced if all loops over
/// threads that use it have the same fixed numbers of iterations, and each iteration reads and writes only its own part
/// of the buffer, at constant indices in this part. `threads` is the number of threads of a workgroup. A buffer is not
/// replaced if the loops have more iterations than this number, or if a part has more than 256 elements.
void makePrivateBuffers(mlir::FunctionOpInterface kernel, int64_t threads);

} // namespace heddle

#endif // HEDDLE_TARGETS_GPU_PRIVATEBUFFERS_H
