//===- EntrySizes.cpp - the sizes of a call -------------------------------===//

#include "EntryPieces.h"

using namespace llvm;
using namespace heddle;

Value *heddle::emitOutOfRange(EntryBuilder &b, const ModelInterface &interface, Value *words) {
  Value *wrong = b.getFalse();
  for (auto [i, size] : enumerate(interface.sizes)) {
    Value *value = b.load(b.i64, words, 8 * i);
    wrong = b.CreateOr(wrong, b.CreateICmpULT(value, b.word(size.low)));
    wrong = b.CreateOr(wrong, b.CreateICmpUGT(value, b.word(size.high)));
  }
  return wrong;
}

/// Emits the quotient rounded towards minus infinity, for operands of any sign.
static Value *emitFloorDivide(EntryBuilder &b, Value *x, Value *y) {
  Value *quotient = b.CreateSDiv(x, y);
  Value *isCut = b.CreateICmpNE(b.CreateMul(quotient, y), x);
  Value *isNegative = b.CreateICmpSLT(b.CreateXor(x, y), b.word(0));
  return b.CreateSub(quotient, b.CreateZExt(b.CreateAnd(isCut, isNegative), b.i64));
}

/// Emits one operation of an expression on two operands.
static Value *emitOperation(EntryBuilder &b, SizeCode kind, Value *x, Value *y) {
  switch (kind) {
  case SizeCode::Add:
    return b.CreateAdd(x, y);
  case SizeCode::Multiply:
    return b.CreateMul(x, y);
  case SizeCode::FloorDivide:
    return emitFloorDivide(b, x, y);
  case SizeCode::Min:
    return b.CreateBinaryIntrinsic(Intrinsic::smin, x, y);
  case SizeCode::Max:
    return b.CreateBinaryIntrinsic(Intrinsic::smax, x, y);
  case SizeCode::Less:
    return b.CreateZExt(b.CreateICmpSLT(x, y), b.i64);
  case SizeCode::Equal:
    return b.CreateZExt(b.CreateICmpEQ(x, y), b.i64);
  case SizeCode::Number:
  case SizeCode::Size:
  case SizeCode::Place:
    break;
  }
  llvm_unreachable("not an operation of two numbers");
}

/// Emits code that evaluates an expression. If all sizes are in their ranges, each operation has a defined result,
/// because imports refuse expressions whose values might not fit into 64 bits (SizeScope).
static Value *emitExpression(EntryBuilder &b, const SizeExpression &expression, ArrayRef<Value *> sizes) {
  SmallVector<int64_t> code = expression.code();
  SmallVector<Value *> stack;
  for (size_t i = 0; i < code.size(); i += 2) {
    auto kind = SizeCode(code[i]);
    if (kind == SizeCode::Number) {
      stack.push_back(b.word(uint64_t(code[i + 1])));
    } else if (kind == SizeCode::Size) {
      stack.push_back(sizes[size_t(code[i + 1])]);
    } else {
      Value *y = stack.pop_back_val();
      stack.back() = emitOperation(b, kind, stack.back(), y);
    }
  }
  return stack.back();
}

SmallVector<Value *> heddle::emitSizes(EntryBuilder &b, const ModelInterface &interface, Value *words) {
  SmallVector<Value *> sizes;
  for (unsigned i = 0; i < interface.sizes.size(); ++i)
    sizes.push_back(b.load(b.i64, words, 8 * i));
  for (const InterfaceDerived &size : interface.derived)
    sizes.push_back(emitExpression(b, size.expression, ArrayRef(sizes).take_front(interface.sizes.size())));
  return sizes;
}

Value *heddle::emitProduct(EntryBuilder &b, Value *value, ArrayRef<uint8_t> powers, ArrayRef<Value *> sizes) {
  for (auto [size, power] : zip_equal(sizes, powers))
    for (unsigned n = 0; n < power; ++n)
      value = b.CreateMul(value, size);
  return value;
}

Value *heddle::emitBytes(EntryBuilder &b, const InterfaceBytes &bytes, ArrayRef<Value *> sizes) {
  Value *sum = b.word(bytes.fixed);
  for (const auto &[product, count] : bytes.pieces) {
    Value *size = emitProduct(b, b.word(product.each), product.powers, sizes);
    size = b.CreateAnd(b.CreateAdd(size, b.word(bytes.unit - 1)), b.word(~(bytes.unit - 1)));
    sum = b.CreateAdd(sum, count == 1 ? size : b.CreateMul(size, b.word(count)));
  }
  return sum;
}

Value *heddle::emitSharedBytes(EntryBuilder &b, const ModelInterface &interface, ArrayRef<Value *> sizes) {
  Value *maximum = b.word(0);
  for (const InterfaceBytes &bytes : interface.arenaSizes)
    maximum = b.CreateBinaryIntrinsic(Intrinsic::umax, maximum, emitBytes(b, bytes, sizes));
  return b.CreateAdd(maximum, b.word(arenaSlack));
}
