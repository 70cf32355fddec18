//===- SizeValues.cpp - what follows from sizes, computed in code ---------===//

#include "SizeValues.h"

#include "heddle/ArenaLayout.h"

#include "Notes.h"

using namespace mlir;
using namespace heddle;

SizeValues::SizeValues(LLVM::LLVMFuncOp func, const Sizes &sizes)
    : sizes(sizes), loc(func.getLoc()), b(OpBuilder::atBlockBegin(&func.getBody().front())) {
  for (BlockArgument arg : func.getArguments())
    if (func.getArgAttr(arg.getArgNumber(), notes::arena.name))
      arena = arg;
}

Value SizeValues::load(StringRef name) {
  Value &value = loaded[name];
  if (value || !arena)
    return value;
  auto offset = int32_t(arenaSizeOffset(*sizes.find(name)));
  Value place = LLVM::GEPOp::create(b, loc, arena.getType(), b.getI8Type(), arena, ArrayRef<LLVM::GEPArg>{offset});
  auto load = LLVM::LoadOp::create(b, loc, b.getI64Type(), place, /*alignment=*/8);
  load.setInvariant(true);
  return value = load;
}

Value SizeValues::of(const Extent &extent) {
  Value &value = extents[extent.number];
  if (value)
    return value;
  Value product;
  for (StringRef name : extent.sizes) {
    Value size = load(name);
    if (!size)
      return {};
    product = product ? Value(LLVM::MulOp::create(b, loc, product, size)) : size;
  }
  if (extent.factor == 1)
    return value = product;
  Value factor = LLVM::ConstantOp::create(b, loc, b.getI64Type(), extent.factor);
  return value = LLVM::MulOp::create(b, loc, product, factor);
}

/// As the importer computes it of a fixed size, to the bit.
Value SizeValues::compute(const SizeNumber &number, Type type) {
  Value value = of(number.extent);
  if (!value)
    return {};
  if (number.plus)
    value = LLVM::AddOp::create(b, loc, value, LLVM::ConstantOp::create(b, loc, b.getI64Type(), number.plus));
  if (isa<FloatType>(type)) {
    value = LLVM::SIToFPOp::create(b, loc, type, value);
    if (number.isInverse)
      value = LLVM::FDivOp::create(b, loc, LLVM::ConstantOp::create(b, loc, b.getFloatAttr(type, 1.0)), value);
    return value;
  }
  return type.isInteger(64) ? value : Value(LLVM::TruncOp::create(b, loc, type, value));
}

Value SizeValues::of(LLVM::ConstantOp constant) {
  Value &value = numbers[{constant.getValue(), constant.getType()}];
  if (value)
    return value;
  Value element = compute(*SizeNumber::find(sizes, constant.getValue()), getElementTypeOrSelf(constant.getType()));
  auto vector = dyn_cast<VectorType>(constant.getType());
  if (!element || !vector)
    return value = element;
  Value zero = LLVM::ConstantOp::create(b, loc, b.getI64Type(), 0);
  Value poison = LLVM::PoisonOp::create(b, loc, vector);
  Value first = LLVM::InsertElementOp::create(b, loc, poison, element, zero);
  return value = LLVM::ShuffleVectorOp::create(b, loc, first, poison, SmallVector<int32_t>(vector.getNumElements(), 0));
}
