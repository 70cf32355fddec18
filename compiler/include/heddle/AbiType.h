//===- AbiType.h - element types at the C interface -------------*- C++ -*-===//

#ifndef HEDDLE_ABITYPE_H
#define HEDDLE_ABITYPE_H

#include "heddle/model.h"

#include "mlir/IR/Types.h"

#include <optional>

namespace heddle {

/// How tensors with elements of `type` are passed from C, or nothing: they are not.
std::optional<heddle_type> abiType(mlir::Type type);

} // namespace heddle

#endif // HEDDLE_ABITYPE_H
