//===- ContractionParts.cpp - contractions cut to fit a cache -------------===//

#include "ContractionParts.h"
#include "Emit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

int64_t heddle::cutContraction(int64_t inputRows, int64_t k, int64_t rowBytes, int64_t panelBytes) {
  constexpr int64_t manyRows = 64, maxParts = 16;
  if (!k || !panelBytes || inputRows < manyRows)
    return 1;
  int64_t count = llvm::divideCeil(k * rowBytes, panelBytes);
  while (count <= maxParts && k % count != 0)
    ++count;
  return count <= maxParts ? count : 1;
}

Value heddle::emitPartSums(OpBuilder &b, Location loc, RankedTensorType type, int64_t step, int64_t parts,
                           AddPart add) {
  int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
  Type element = type.getElementType();
  Value empty = tensor::EmptyOp::create(b, loc, type.getShape(), element);
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
  Value sums = linalg::FillOp::create(b, loc, zero, empty).getResult(0);
  auto bound = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(b, loc, value); };
  auto addPart = [&](OpBuilder &outer, Location, Value which, ValueRange carried) {
    Value next = emitRowLoop(outer, loc, rows, step, carried.front(),
                             [&](OpBuilder &inner, OpFoldResult at, int64_t tileRows, Value sums) {
                               SmallVector<OpFoldResult> place = {at, inner.getIndexAttr(0)};
                               Value start = emitSlice(inner, loc, sums, place, {tileRows, columns});
                               Value sum = add(inner, at, tileRows, which, start);
                               return emitInsert(inner, loc, sum, sums, place, {tileRows, columns});
                             });
    scf::YieldOp::create(outer, loc, next);
  };
  return scf::ForOp::create(b, loc, bound(0), bound(parts - 1), bound(1), sums, addPart).getResult(0);
}
