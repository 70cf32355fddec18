//===- ChunkLoop.cpp - loops whose steps load several elements ------------===//

#include "ChunkLoop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace heddle;

SmallVector<Value> heddle::forEachChunk(OpBuilder &b, Location loc, const Extent &count, int64_t atOnce,
                                        ValueRange start, ChunkBody body) {
  auto constant = [&](int64_t number) -> Value { return arith::ConstantIndexOp::create(b, loc, number); };
  auto indicesFrom = [&](Value first, int64_t number) {
    return llvm::map_to_vector(
        llvm::seq(number), [&](int64_t i) -> Value { return b.createOrFold<arith::AddIOp>(loc, first, constant(i)); });
  };
  auto emitLoop = [&](Value end, llvm::function_ref<SmallVector<Value>(SmallVector<Value>, ValueRange)> emitChunk) {
    auto loop = scf::ForOp::create(b, loc, constant(0), end, constant(atOnce), start);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(b, loc, emitChunk(indicesFrom(loop.getInductionVar(), atOnce), loop.getRegionIterArgs()));
    return llvm::to_vector_of<Value>(loop.getResults());
  };
  if (!count.isFixed()) {
    Value all = count.emitValue(b, loc), last = arith::SubIOp::create(b, loc, all, constant(1));
    return emitLoop(all, [&](SmallVector<Value> indices, ValueRange carried) {
      SmallVector<Value> exist;
      for (Value &index : indices) {
        exist.push_back(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, index, last));
        index = arith::MinUIOp::create(b, loc, index, last);
      }
      return body(b, indices, exist, carried);
    });
  }
  int64_t whole = count.wholeSteps(atOnce), rest = count.rest(atOnce);
  SmallVector<Value> results(start), known(atOnce);
  if (whole)
    results = emitLoop(constant(whole), [&](SmallVector<Value> indices, ValueRange carried) {
      return body(b, indices, known, carried);
    });
  return rest ? body(b, indicesFrom(constant(whole), rest), ArrayRef(known).take_front(rest), results) : results;
}
