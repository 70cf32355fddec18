//===- AbiType.h - element types at the C interface -------------*- C++ -*-===//

#ifndef HEDDLE_ABITYPE_H
#define HEDDLE_ABITYPE_H

#include "heddle/model.h"

#include "mlir/IR/Types.h"

#include <optional>

namespace heddle {

/// The element type with which the C interface passes tensors with elements of `type`, or nothing if it cannot pass
/// them.
std::optional<heddle_type> abiType(mlir::Type type);

/// The MLIR type of the elements that C passes as the heddle_type `type`; null if there is no such heddle_type.
mlir::Type elementType(uint32_t type, mlir::MLIRContext &context);

} // namespace heddle

#endif // HEDDLE_ABITYPE_H
