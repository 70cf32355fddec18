//===- CheckIndices.cpp - checks of computed indices ----------------------===//
//
// The pass heddle-check-indices replaces each heddle.checked_index by loops that compute a valid index for any input.
// If there is such an operation, the pass also adds a result to the function. The result is not 0 if any index was out
// of bounds, so that a call can report an error.
//
//===----------------------------------------------------------------------===//

#include "heddle/Passes.h"

#include "Heddle.h"
#include "Sizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace heddle;

namespace heddle {
#define GEN_PASS_DEF_CHECKINDICES
#include "heddle/Passes.h.inc"
} // namespace heddle

/// Emits, in a loop body, the position that `index` selects, and whether the position is within bounds. A negative
/// index counts from the end of the dimension. (The only constant is the extent, never the extent minus one, because
/// the extent may be a placeholder, a number that represents a size in types.)
static std::pair<Value, Value> emitInside(ImplicitLocOpBuilder &b, Value index, int64_t extent) {
  Value zero = arith::ConstantOp::create(b, b.getIntegerAttr(index.getType(), 0));
  Value count = arith::ConstantOp::create(b, b.getIntegerAttr(index.getType(), extent));
  Value negative = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, index, zero);
  Value fromEnd = arith::AddIOp::create(b, index, count);
  Value number = arith::SelectOp::create(b, negative, fromEnd, index);
  return {number, arith::CmpIOp::create(b, arith::CmpIPredicate::ult, number, count)};
}

/// A function that emits the value that one iteration yields. Its arguments are the builder, the index, and the current
/// element of the result.
using Body = function_ref<Value(ImplicitLocOpBuilder &, ValueRange)>;

/// Emits a loop over the elements of `indices`. Dimensions beyond the rank of `init`, the initial value of the result,
/// are reduced.
static Value emitLoops(ImplicitLocOpBuilder &b, Value indices, Value init, Body body) {
  unsigned rank = cast<RankedTensorType>(indices.getType()).getRank();
  unsigned kept = cast<RankedTensorType>(init.getType()).getRank();
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  AffineMap maps[] = {identity, AffineMap::get(rank, 0, identity.getResults().take_front(kept), b.getContext())};
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::reduction);
  std::fill_n(iterators.begin(), kept, utils::IteratorType::parallel);
  return linalg::GenericOp::create(b, init.getType(), indices, init, maps, iterators,
                                   [&](OpBuilder &builder, Location loc, ValueRange args) {
                                     ImplicitLocOpBuilder inner(loc, builder);
                                     linalg::YieldOp::create(inner, body(inner, args));
                                   })
      .getResult(0);
}

/// Emits a valid index for each index in `indices`; 0 for an index that is out of bounds.
static Value emitNumbers(ImplicitLocOpBuilder &b, Value indices, int64_t extent) {
  auto type = cast<RankedTensorType>(indices.getType());
  Value empty = tensor::EmptyOp::create(b, type.getShape(), type.getElementType());
  return emitLoops(b, indices, empty, [&](ImplicitLocOpBuilder &inner, ValueRange args) -> Value {
    auto [number, isInside] = emitInside(inner, args[0], extent);
    Value first = arith::ConstantOp::create(inner, inner.getIntegerAttr(args[0].getType(), 0));
    return arith::SelectOp::create(inner, isInside, number, first);
  });
}

/// Emits 1 if any index is out of bounds, else 0.
static Value emitAnyOutside(ImplicitLocOpBuilder &b, Value indices, int64_t extent) {
  Value zero = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
  Value empty = tensor::EmptyOp::create(b, ArrayRef<int64_t>(), b.getI32Type());
  Value none = linalg::FillOp::create(b, zero, empty).getResult(0);
  return emitLoops(b, indices, none, [&](ImplicitLocOpBuilder &inner, ValueRange args) -> Value {
    Value isInside = emitInside(inner, args[0], extent).second;
    Value one = arith::ConstantOp::create(inner, inner.getI32IntegerAttr(1));
    Value outside = arith::SelectOp::create(inner, isInside, zero, one);
    return arith::OrIOp::create(inner, outside, args[1]);
  });
}

/// Adds `result` to the function's results, with the annotation `heddle.index_check`.
static LogicalResult addResult(func::FuncOp func, Value result) {
  NamedAttribute note = notes::indexCheck.with(func.getContext(), {});
  if (failed(func.insertResult(func.getNumResults(), result.getType(), DictionaryAttr::get(func.getContext(), note))))
    return failure();
  Operation *terminator = func.front().getTerminator();
  terminator->insertOperands(terminator->getNumOperands(), result);
  return success();
}

namespace {
struct CheckIndices : heddle::impl::CheckIndicesBase<CheckIndices> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (func.isExternal() || !func.getBody().hasOneBlock())
      return;
    Sizes sizes(func);
    Value outside;
    for (auto op : llvm::make_early_inc_range(func.getOps<CheckedIndexOp>())) {
      int64_t extent = op.getExtent();
      if (sizes.of(extent).low() == 0) { // no index is valid, not even 0
        op.emitOpError() << "computes indices into a dimension that is empty in some calls, which is not supported";
        return signalPassFailure();
      }
      ImplicitLocOpBuilder b(op.getLoc(), op);
      Value any = emitAnyOutside(b, op.getIndices(), extent);
      outside = outside ? Value(arith::OrIOp::create(b, outside, any)) : any;
      Value numbers = emitNumbers(b, op.getIndices(), extent);
      op.replaceAllUsesWith(numbers);
      op.erase();
    }
    if (outside && failed(addResult(func, outside)))
      signalPassFailure();
  }
};
} // namespace
