//===- AbiType.h - element types at the C interface -------------*- C++ -*-===//

#ifndef HEDDLE_ABITYPE_H
#define HEDDLE_ABITYPE_H

#include "heddle/model.h"

#include "mlir/IR/Types.h"

#include <optional>

namespace heddle {

/// The element type with which the C interface represents `type`, or nothing if the C interface has no such type.
std::optional<heddle_type> abiType(mlir::Type type);

/// The MLIR type that corresponds to the heddle_type `type`; null if `type` is not a valid heddle_type.
mlir::Type elementType(uint32_t type, mlir::MLIRContext &context);

} // namespace heddle

#endif // HEDDLE_ABITYPE_H
