//===- DotBytes.cpp - the code of products of kind #heddle.dot_bytes ------===//

#include "ProductCode.h"

using namespace mlir;
using namespace heddle;

namespace {
struct DotBytesCode : ProductCode::ExternalModel<DotBytesCode, DotBytesAttr> {
  Value emitStep(Attribute kind, ImplicitLocOpBuilder &b, Value rows, Value weight, Value sums) const {
    UnsignedSide side = cast<DotBytesAttr>(kind).getUnsignedSide();
    if (side == UnsignedSide::Weight)
      std::swap(rows, weight); // the left operand of heddle.dot has the unsigned bytes
    return DotOp::create(b, sums.getType(), rows, weight, sums, side != UnsignedSide::None);
  }
};
} // namespace

void heddle::registerDotBytesCode(MLIRContext *context) { DotBytesAttr::attachInterface<DotBytesCode>(*context); }
