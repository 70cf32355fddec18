//===- DotBF16.cpp - the code of products of kind #heddle.dot_bf16 --------===//

#include "ProductCode.h"

using namespace mlir;
using namespace heddle;

namespace {
struct DotBF16Code : ProductCode::ExternalModel<DotBF16Code, DotBF16Attr> {
  Value emitStep(Attribute, ImplicitLocOpBuilder &b, Value rows, Value weight, Value sums) const {
    return DotOp::create(b, sums.getType(), rows, weight, sums, /*is_unsigned=*/false);
  }
};
} // namespace

void heddle::registerDotBF16Code(MLIRContext *context) { DotBF16Attr::attachInterface<DotBF16Code>(*context); }
