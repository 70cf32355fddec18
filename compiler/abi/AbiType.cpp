//===- AbiType.cpp - element types at the C interface ---------------------===//

#include "heddle/AbiType.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

std::optional<heddle_type> heddle::abiType(Type type) {
  if (type.isF32())
    return HEDDLE_F32;
  if (type.isF64())
    return HEDDLE_F64;
  if (type.isF16())
    return HEDDLE_F16;
  if (type.isBF16())
    return HEDDLE_BF16;
  if (type.isInteger(64))
    return HEDDLE_I64;
  if (type.isInteger(32))
    return HEDDLE_I32;
  if (type.isInteger(8))
    return HEDDLE_I8;
  if (type.isInteger(1))
    return HEDDLE_BOOL;
  return std::nullopt;
}
