//===- EmittedSizes.cpp - what follows from sizes, computed in code -------===//

#include "EmittedSizes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

using namespace mlir;
using namespace heddle;

Attribute heddle::getConstant(Operation *op) {
  if (auto constant = dyn_cast_or_null<LLVM::ConstantOp>(op))
    return constant.getValue();
  auto constant = dyn_cast_or_null<spirv::ConstantOp>(op);
  return constant ? constant.getValue() : Attribute();
}

std::unique_ptr<EmittedSizes> heddle::makeEmittedSizes(FunctionOpInterface func, const Sizes &sizes) {
  return isa<spirv::FuncOp>(*func) ? makeSpirvEmittedSizes(func, sizes) : makeLLVMEmittedSizes(func, sizes);
}

EmittedSizes::EmittedSizes(FunctionOpInterface func, const Sizes &sizes)
    : sizes(sizes), loc(func.getLoc()), b(OpBuilder::atBlockBegin(&func.getFunctionBody().front())) {}

Value EmittedSizes::of(const Extent &extent) {
  Value &value = extents[extent.inTypes()];
  if (value)
    return value;
  Value product;
  for (StringRef name : extent.sizes()) {
    Value &size = loaded[name];
    if (!size && !(size = load(name)))
      return {};
    product = product ? multiply(product, size) : size;
  }
  if (extent.factor() == 1)
    return value = product;
  Value factor = constant(extent.factor());
  return value = multiply(product, factor);
}

Value EmittedSizes::compute(const SizeNumber &number, Type type) {
  Value value = of(number.extent);
  if (!value)
    return {};
  if (number.plus)
    value = add(value, constant(number.plus));
  return convert(value, type);
}

Value EmittedSizes::of(const SizeNumber &number, Type type) {
  Value &value = numbers[{number.extent.inTypes(), number.plus, type.getAsOpaquePointer()}];
  if (value)
    return value;
  Value element = compute(number, getElementTypeOrSelf(type));
  auto vector = dyn_cast<VectorType>(type);
  return value = element && vector ? repeat(element, vector) : element;
}
