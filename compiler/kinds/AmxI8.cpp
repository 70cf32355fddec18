//===- AmxI8.cpp - the code of products of kind #heddle.amx_i8 ------------===//

#include "MatrixCode.h"

#include "mlir/Dialect/AMX/AMXDialect.h"

using namespace mlir;
using namespace heddle;

namespace {
struct AmxI8Code : MatrixCode::ExternalModel<AmxI8Code, AmxI8Attr> {
  Value emitProduct(Attribute kind, ImplicitLocOpBuilder &b, Value rows, Value weight, Value sums) const {
    UnsignedSide side = cast<AmxI8Attr>(kind).getUnsignedSide();
    return amx::TileMulIOp::create(b, sums.getType(), rows, weight, sums, side == UnsignedSide::Rows,
                                   side == UnsignedSide::Weight);
  }
};
} // namespace

void heddle::registerAmxI8Code(MLIRContext *context) { AmxI8Attr::attachInterface<AmxI8Code>(*context); }
