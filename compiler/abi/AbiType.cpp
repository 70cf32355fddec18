//===- AbiType.cpp - element types at the C interface ---------------------===//

#include "heddle/AbiType.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

static constexpr heddle_type types[] = {HEDDLE_F32, HEDDLE_F64, HEDDLE_F16, HEDDLE_BF16,
                                        HEDDLE_I64, HEDDLE_I32, HEDDLE_I8,  HEDDLE_BOOL};

std::optional<heddle_type> heddle::abiType(Type type) {
  for (heddle_type known : types)
    if (elementType(known, *type.getContext()) == type)
      return known;
  return std::nullopt;
}

Type heddle::elementType(uint32_t type, MLIRContext &context) {
  switch (type) {
  case HEDDLE_F32:
    return Float32Type::get(&context);
  case HEDDLE_F64:
    return Float64Type::get(&context);
  case HEDDLE_F16:
    return Float16Type::get(&context);
  case HEDDLE_BF16:
    return BFloat16Type::get(&context);
  case HEDDLE_I64:
    return IntegerType::get(&context, 64);
  case HEDDLE_I32:
    return IntegerType::get(&context, 32);
  case HEDDLE_I8:
    return IntegerType::get(&context, 8);
  case HEDDLE_BOOL:
    return IntegerType::get(&context, 1);
  }
  return nullptr;
}
