//===- ProgramReader.h - the launches of a call -----------------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_GPU_PROGRAMREADER_H
#define HEDDLE_TARGETS_GPU_PROGRAMREADER_H

#include "DeviceCode.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

struct ModelInterface;

/// Sets `interface.device` to the launches of `main` and all data that they need, with all facts about `code` except
/// its bytes. Offsets are multiples of `alignment`. Only the beginning of the arena stays on the host, with defaults of
/// omitted inputs and the result of the index check.
mlir::LogicalResult readProgram(mlir::func::FuncOp main, DeviceCode &code, uint64_t alignment,
                                ModelInterface &interface);

} // namespace heddle

#endif // HEDDLE_TARGETS_GPU_PROGRAMREADER_H
