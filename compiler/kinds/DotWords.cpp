//===- DotWords.cpp - the code of products of kind #heddle.dot_words ------===//

#include "ProductCode.h"

using namespace mlir;
using namespace heddle;

namespace {
struct DotWordsCode : ProductCode::ExternalModel<DotWordsCode, DotWordsAttr> {
  Value emitStep(Attribute, ImplicitLocOpBuilder &b, Value rows, Value weight, Value sums) const {
    return DotOp::create(b, sums.getType(), rows, weight, sums, /*is_unsigned=*/false);
  }
};
} // namespace

void heddle::registerDotWordsCode(MLIRContext *context) { DotWordsAttr::attachInterface<DotWordsCode>(*context); }
