//===- Reference.cpp - registration of reference functions ----------------===//

#include "reference/Reference.h"

using namespace mlir;
using namespace heddle;

void heddle::registerReferenceModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
#define HEDDLE_OPERATION(Stem) register##Stem##Reference(context);
#include "References.inc"
#undef HEDDLE_OPERATION
  });
}
