//===- Reference.cpp - the meaning of Heddle's ops, registered ------------===//

#include "reference/Reference.h"

using namespace mlir;
using namespace heddle;

void heddle::registerReferenceModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    registerAttentionReference(context);
    registerCheckedIndexReference(context);
    registerDispatchReference(context);
    registerExpReference(context);
    registerFfnReference(context);
    registerLaunchReference(context);
    registerLinearAttentionReference(context);
    registerLinearReference(context);
    registerNormReference(context);
    registerRecurrentAttentionReference(context);
    registerRotaryEmbeddingReference(context);
    registerWeightReference(context);
    registerWidenReference(context);
  });
}
