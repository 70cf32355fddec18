//===- Accesses.cpp - grouped element accesses ----------------------------===//

#include "Heddle.h"

using namespace mlir;
using namespace heddle;

LogicalResult AccessesOp::verify() {
  size_t inputs = getInputs().size(), outputs = getOutputs().size();
  if (getLast().size() != inputs + outputs || getFirst().size() != outputs || getOverwritten().size() != outputs)
    return emitOpError("expects one element of `last` for each tensor, and one element of `first` and `overwritten` "
                       "for each of `outs`");
  Block &block = getBody().front();
  if (block.getNumArguments() != inputs + outputs)
    return emitOpError("expects its region to have one argument, a buffer, for each of `ins` and `outs`");
  for (auto [buffer, tensor] : llvm::zip(block.getArguments(), getOperands())) {
    auto type = dyn_cast<MemRefType>(buffer.getType());
    auto expected = cast<RankedTensorType>(tensor.getType());
    if (!type || type.getShape() != expected.getShape() || type.getElementType() != expected.getElementType())
      return emitOpError("expects a buffer of ") << expected << ", found " << buffer.getType();
  }
  SmallVector<Type> results = llvm::to_vector(getOutputs().getTypes());
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (yield)
    llvm::append_range(results, yield.getValues().getTypes());
  if (!yield || !llvm::equal(results, getResultTypes()))
    return emitOpError("expects results with the types of `outs` and of the yielded values");
  return success();
}
