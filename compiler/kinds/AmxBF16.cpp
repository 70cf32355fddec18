//===- AmxBF16.cpp - the code of products of kind #heddle.amx_bf16 --------===//

#include "MatrixCode.h"

#include "mlir/Dialect/AMX/AMXDialect.h"

using namespace mlir;
using namespace heddle;

namespace {
struct AmxBF16Code : MatrixCode::ExternalModel<AmxBF16Code, AmxBF16Attr> {
  Value emitProduct(Attribute, ImplicitLocOpBuilder &b, Value rows, Value weight, Value sums) const {
    return amx::TileMulFOp::create(b, sums.getType(), rows, weight, sums);
  }
};
} // namespace

void heddle::registerAmxBF16Code(MLIRContext *context) { AmxBF16Attr::attachInterface<AmxBF16Code>(*context); }
