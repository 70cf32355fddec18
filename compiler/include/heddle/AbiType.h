//===- AbiType.h - element types at the C interface -------------*- C++ -*-===//

#ifndef HEDDLE_ABITYPE_H
#define HEDDLE_ABITYPE_H

#include "heddle/model.h"

#include "mlir/IR/Types.h"

#include <optional>

namespace heddle {

/// How tensors with elements of `type` are passed from C, or nothing: they are not.
std::optional<heddle_type> abiType(mlir::Type type);

/// The type whose elements C passes as a heddle_type; null for a number that is none.
mlir::Type elementType(uint32_t type, mlir::MLIRContext &context);

} // namespace heddle

#endif // HEDDLE_ABITYPE_H
