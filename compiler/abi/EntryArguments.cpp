//===- EntryArguments.cpp - checks the arguments of a call ----------------===//

#include "EntryArguments.h"

#include <cstddef>

using namespace llvm;
using namespace heddle;

/// Returns the LLVM type of an element in memory.
static Type *getElementType(EntryBuilder &b, heddle_type type) {
  switch (type) {
  case HEDDLE_F32:
    return b.getFloatTy();
  case HEDDLE_F64:
    return b.getDoubleTy();
  case HEDDLE_F16:
    return b.getHalfTy();
  case HEDDLE_BF16:
    return b.getBFloatTy();
  case HEDDLE_I64:
    return b.i64;
  case HEDDLE_I32:
    return b.i32;
  case HEDDLE_I8:
  case HEDDLE_BOOL:
    return b.i8;
  }
  return b.i8;
}

Value *heddle::emitCount(EntryBuilder &b, const InterfaceTensor &tensor, ArrayRef<Value *> sizes) {
  Value *count = b.word(tensor.elementCount());
  for (auto &powers : tensor.powers)
    count = emitProduct(b, count, powers, sizes);
  return count;
}

/// Emits a loop over the elements of a tensor in this call. The loop runs `body` with the index of each element.
static void emitForElements(EntryBuilder &b, const ModelInterface &interface, const InterfaceTensor &tensor,
                            ArrayRef<Value *> sizes, function_ref<void(Value *)> body) {
  Value *count = emitCount(b, tensor, sizes);
  auto run = [&] { b.loop(count, 1, body); }; // `loop` requires at least one element
  if (tensor.mayBeEmpty(interface.lows()))
    b.branch(b.CreateICmpNE(count, b.word(0)), run);
  else
    run();
}

/// Emits code that stores the default value of an absent input in each element at `place`.
static void emitFill(EntryBuilder &b, const ModelInterface &interface, const InterfaceTensor &tensor,
                     ArrayRef<Value *> sizes, Value *place) {
  Type *type = getElementType(b, tensor.type);
  int64_t value = tensor.defaultValue.value_or(0);
  Constant *element = type->isFloatingPointTy()
                          ? ConstantFP::get(type, double(value))
                          : ConstantInt::get(type, value, /*IsSigned=*/true, /*ImplicitTrunc=*/true);
  if (tensor.elementCount())
    emitForElements(b, interface, tensor, sizes,
                    [&](Value *i) { b.CreateStore(element, b.CreateGEP(type, place, i)); });
}

void heddle::emitRangeCheck(EntryBuilder &b, const ModelInterface &interface, const InterfaceTensor &tensor,
                            ArrayRef<Value *> sizes, Value *data) {
  Type *type = getElementType(b, tensor.type);
  if (!tensor.range || !type->isIntegerTy() || !tensor.elementCount())
    return;
  auto emitBound = [&](const InterfaceBound &bound) {
    Value *each = ConstantInt::get(b.i64, bound.value.each, /*IsSigned=*/true);
    return emitProduct(b, each, bound.value.powers, sizes);
  };
  Value *minimum = emitBound(tensor.range->first), *maximum = emitBound(tensor.range->second);
  emitForElements(b, interface, tensor, sizes, [&](Value *i) {
    Value *element = b.CreateSExt(b.CreateLoad(type, b.CreateGEP(type, data, i)), b.i64);
    Value *low = b.CreateICmpSLT(element, minimum);
    Value *high = b.CreateICmpSGT(element, maximum);
    b.returnIf(b.CreateOr(low, high), HEDDLE_INDEX_OUT_OF_RANGE);
  });
}

Value *Given::isAbsent(EntryBuilder &b) const {
  Value *noPointer = b.isNull(pointer);
  return memory ? b.CreateAnd(noPointer, b.isNull(memory)) : noPointer;
}

Given heddle::loadGiven(EntryBuilder &b, const ModelInterface &interface, Value *array, unsigned i) {
  if (!interface.device)
    return {b.load(b.ptr, array, 8 * i)};
  uint64_t place = sizeof(heddle_place) * i;
  return {b.load(b.ptr, array, place + offsetof(heddle_place, host)),
          b.load(b.ptr, array, place + offsetof(heddle_place, memory)),
          b.load(b.i64, array, place + offsetof(heddle_place, offset))};
}

Value *heddle::emitArenaPlace(EntryBuilder &b, const ModelInterface &interface, const InterfaceTensor &tensor,
                              ArrayRef<Value *> sizes, Value *arena, Value *variant) {
  SmallVector<Value *> offsets;
  for (const InterfaceBytes &offset : tensor.arenaOffsets)
    offsets.push_back(emitBytes(b, offset, sizes));
  return b.address(arena, selectVariant(b, variant, offsets));
}

Value *heddle::emitPointer(EntryBuilder &b, const ModelInterface &interface, const InterfaceTensor &tensor,
                           ArrayRef<Value *> sizes, const Given &given, Value *arena, Value *variant) {
  b.returnIf(b.isMisaligned(given.pointer, tensor.elementSize()), HEDDLE_INVALID_ARGUMENT);
  if (tensor.range && given.memory) // the host checks the range, so the elements must be in host memory
    b.returnIf(b.CreateIsNotNull(given.memory), HEDDLE_INVALID_ARGUMENT);
  if (!tensor.isOptional()) {
    Value *isMissing = given.isAbsent(b);
    if (tensor.mayBeEmpty(interface.lows()))
      isMissing = b.CreateAnd(isMissing, b.CreateICmpNE(emitCount(b, tensor, sizes), b.word(0)));
    b.returnIf(isMissing, HEDDLE_INVALID_ARGUMENT);
    return given.pointer;
  }
  Value *place = emitArenaPlace(b, interface, tensor, sizes, arena, variant);
  Value *absent = given.isAbsent(b);
  if (tensor.defaultValue)
    b.branch(absent, [&] { emitFill(b, interface, tensor, sizes, place); });
  return b.CreateSelect(absent, place, given.pointer);
}
