//===- ProgramReader.h - the launches of one call ---------------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_GPU_PROGRAMREADER_H
#define HEDDLE_TARGETS_GPU_PROGRAMREADER_H

#include "DeviceCode.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

struct ModelInterface;

/// Sets `interface.device` to the launches of `main` and what they need, with all of `code` but its bytes. Offsets are
/// multiples of `alignment`. What stays with the host of the arena is its beginning, with defaults of inputs that the
/// caller leaves out, and with what tells whether indices were in their ranges.
mlir::LogicalResult readProgram(mlir::func::FuncOp main, DeviceCode &code, uint64_t alignment,
                                ModelInterface &interface);

} // namespace heddle

#endif // HEDDLE_TARGETS_GPU_PROGRAMREADER_H
