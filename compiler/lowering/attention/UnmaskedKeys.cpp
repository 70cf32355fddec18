//===- UnmaskedKeys.cpp - the keys that a mask keeps ----------------------===//

#include "UnmaskedKeys.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace heddle;

UnmaskedKeys UnmaskedKeys::emit(TileBuilder &b, Value mask, int64_t batch, const Extent &keys) {
  int64_t entries = cast<RankedTensorType>(mask.getType()).getDimSize(0);
  Value zero = b.index(0), one = b.index(1), all = b.index(keys);
  SmallVector<Value> ends(2, b.empty({batch}, b.getIndexType()));
  ends[1] = b.empty({batch}, b.getIndexType());
  auto outer = scf::ForOp::create(b, zero, b.index(batch), one, ends);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(outer.getBody());
  Value entry = entries == 1 ? zero : outer.getInductionVar();
  auto inner = scf::ForOp::create(b, zero, all, one, ValueRange{all, zero});
  {
    OpBuilder::InsertionGuard innerGuard(b);
    b.setInsertionPointToStart(inner.getBody());
    Value key = inner.getInductionVar();
    Value flag = tensor::ExtractOp::create(b, mask, ValueRange{entry, zero, zero, key});
    Value none = arith::ConstantIntOp::create(b, b.getI8Type(), 0);
    Value kept = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, flag, none);
    Value first = b.min(inner.getRegionIterArg(0), key), end = b.add(key, one);
    first = arith::SelectOp::create(b, kept, first, inner.getRegionIterArg(0));
    end = arith::SelectOp::create(b, kept, end, inner.getRegionIterArg(1));
    scf::YieldOp::create(b, ValueRange{first, end});
  }
  Value isEmpty = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, inner.getResult(1), zero);
  Value first = arith::SelectOp::create(b, isEmpty, zero, inner.getResult(0));
  Value end = arith::SelectOp::create(b, isEmpty, all, inner.getResult(1));
  ValueRange into = outer.getRegionIterArgs();
  Value firsts = tensor::InsertOp::create(b, first, into[0], outer.getInductionVar());
  Value behind = tensor::InsertOp::create(b, end, into[1], outer.getInductionVar());
  scf::YieldOp::create(b, ValueRange{firsts, behind});
  return {outer.getResult(0), outer.getResult(1)};
}
