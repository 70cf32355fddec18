//===- MaskBytes.cpp - conversion of i1 masks to bytes --------------------===//

#include "MaskBytes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;

/// If `value` is defined as x != 0 with x of type i8, returns x, else null.
static Value byteOf(Value value) {
  auto compare = value.getDefiningOp<arith::CmpIOp>();
  bool fits = compare && compare.getPredicate() == arith::CmpIPredicate::ne &&
              getElementTypeOrSelf(compare.getLhs().getType()).isInteger(8) && matchPattern(compare.getRhs(), m_Zero());
  return fits ? compare.getLhs() : Value();
}

Value heddle::maskBytes(TileBuilder &b, Value mask) {
  if (Value bytes = byteOf(mask))
    return bytes;
  auto shape = cast<RankedTensorType>(mask.getType()).getShape();
  auto generic = mask.getDefiningOp<linalg::GenericOp>();
  if (!generic || generic->getNumResults() != 1 ||
      !generic.getMatchingBlockArgument(generic.getDpsInitOperand(0)).use_empty()) {
    SmallVector<unsigned> all = llvm::to_vector(llvm::seq<unsigned>(0, shape.size()));
    return b.generic(std::string(shape.size(), 'p'), {LoopDims(all), LoopDims(all)}, mask,
                     b.empty(shape, b.getI8Type()), [](TileBuilder &inner, ValueRange args) {
                       return SmallVector<Value>{arith::ExtUIOp::create(inner, inner.getI8Type(), args[0])};
                     })[0];
  }

  // If the generic only compares each byte with 0, return these bytes. Otherwise, create a copy of the generic that
  // yields bytes.
  Value yielded = generic.getBlock()->getTerminator()->getOperand(0);
  bool identity =
      generic.getNumDpsInputs() == 1 &&
      llvm::all_of(generic.getIndexingMapsArray(), [](AffineMap map) { return map.isIdentity(); });
  if (identity && byteOf(yielded) && byteOf(yielded) == generic.getBlock()->getArgument(0))
    return generic.getDpsInputs()[0];
  auto bytes = linalg::GenericOp::create(
      b, TypeRange{RankedTensorType::get(shape, b.getI8Type())}, generic.getDpsInputs(),
      ValueRange{b.empty(shape, b.getI8Type())}, generic.getIndexingMapsArray(),
      generic.getIteratorTypesArray(), [&](OpBuilder &nested, Location loc, ValueRange args) {
        IRMapping values;
        values.map(generic.getBlock()->getArguments().drop_back(), args.drop_back());
        for (Operation &inner : generic.getBlock()->without_terminator())
          nested.clone(inner, values);
        Value byte = arith::ExtUIOp::create(nested, loc, nested.getI8Type(), values.lookupOrDefault(yielded));
        linalg::YieldOp::create(nested, loc, byte);
      });
  return bytes.getResult(0);
}
