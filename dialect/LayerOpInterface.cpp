//===- LayerOpInterface.cpp - interface of layers -------------------------===//

#include "LayerOpInterface.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace heddle;

#include "LayerOpInterface.cpp.inc"

SmallVector<unsigned> heddle::detail::allButLast(Value value) {
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  return llvm::to_vector(llvm::seq<unsigned>(0, std::max<int64_t>(rank, 1) - 1));
}

OperandRows heddle::detail::rowsByRole(OperandRole role, Value value) {
  bool has = role == OperandRole::Input || role == OperandRole::Normalized || role == OperandRole::Residual;
  return has ? OperandRows{allButLast(value)} : OperandRows();
}
