//===- DotNibbles.cpp - the code of products of kind #heddle.dot_nibbles --===//

#include "ProductCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace heddle;

/// Returns a vector of integers, each of which is `number`.
static Value splat(ImplicitLocOpBuilder &b, VectorType type, int64_t number) {
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(type, Attribute(b.getIntegerAttr(type.getElementType(), number))));
}
/// Returns the type of the 16-bit accumulators for `sums`: two accumulators for each sum.
static VectorType narrowType(ImplicitLocOpBuilder &b, Value sums) {
  return VectorType::get({2 * cast<VectorType>(sums.getType()).getNumElements()}, b.getI16Type());
}

namespace {
struct DotNibblesCode : ProductCode::ExternalModel<DotNibblesCode, DotNibblesAttr> {
  Value emitStart(Attribute kind, ImplicitLocOpBuilder &b, Value sums) const {
    return cast<DotNibblesAttr>(kind).getSumBits() == 16 ? splat(b, narrowType(b, sums), 0) : sums;
  }

  Value emitNumbers(Attribute kind, ImplicitLocOpBuilder &b, Value weight, int64_t part) const {
    auto nibbles = cast<DotNibblesAttr>(kind);
    auto bytes = cast<VectorType>(weight.getType());
    Value bits = part ? Value(arith::ShRUIOp::create(b, weight, splat(b, bytes, 4)))
                      : Value(arith::AndIOp::create(b, weight, splat(b, bytes, 15)));
    std::optional<int64_t> offset = nibbles.getOffset();
    if (!offset)
      return LookupOp::create(b, bytes, bits, nibbles.getValues());
    return *offset ? Value(arith::AddIOp::create(b, bits, splat(b, bytes, *offset))) : bits;
  }

  Value emitStep(Attribute kind, ImplicitLocOpBuilder &b, Value rows, Value weight, Value accumulators) const {
    bool isUnsigned = cast<DotNibblesAttr>(kind).getUnsignedSide() == UnsignedSide::Rows;
    return DotOp::create(b, accumulators.getType(), rows, weight, accumulators, isUnsigned);
  }

  Value emitSums(Attribute kind, ImplicitLocOpBuilder &b, Value accumulators, Value start) const {
    auto nibbles = cast<DotNibblesAttr>(kind);
    if (nibbles.getSumBits() != 16)
      return accumulators;
    auto type = cast<VectorType>(start.getType());
    if (!nibbles.hasUnsignedSums()) {
      Value ones = splat(b, VectorType::get({2 * type.getNumElements()}, b.getI8Type()), 1);
      return DotOp::create(b, type, accumulators, ones, start, /*is_unsigned=*/false);
    }
    Value pairs = vector::BitCastOp::create(b, type, accumulators);
    Value low = arith::AndIOp::create(b, pairs, splat(b, type, 0xffff));
    Value high = arith::ShRUIOp::create(b, pairs, splat(b, type, 16));
    return arith::AddIOp::create(b, arith::AddIOp::create(b, low, high), start);
  }
};
} // namespace

void heddle::registerDotNibblesCode(MLIRContext *context) { DotNibblesAttr::attachInterface<DotNibblesCode>(*context); }
