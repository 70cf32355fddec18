//===- ProgramReader.h - the launches of a device program -------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_GPU_PROGRAMREADER_H
#define HEDDLE_TARGETS_GPU_PROGRAMREADER_H

#include "DeviceCode.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

struct ModelInterface;

/// Sets `interface.device` to the device program of `main`: its launches, the constants and offsets of buffers that the
/// launches need, and the format, the features and the workgroup memory of `code`, but not its bytes. Offsets are
/// multiples of `alignment` bytes. Reduces the arena of `interface` to the part that stays on the host: the call
/// header, the defaults of omitted inputs and the index check (an i32 that is nonzero after a call in which an index
/// was out of bounds). Also lays out the states for device memory.
mlir::LogicalResult readProgram(mlir::func::FuncOp main, DeviceCode &code, uint64_t alignment,
                                ModelInterface &interface);

} // namespace heddle

#endif // HEDDLE_TARGETS_GPU_PROGRAMREADER_H
