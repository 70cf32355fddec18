//===- ProductCode.cpp - registers the code of all kinds of products ------===//

#include "ProductCode.h"

#include "heddle/Kinds.h"

#include "mlir/IR/DialectRegistry.h"

using namespace mlir;
using namespace heddle;

#include "ProductCode.cpp.inc"

void heddle::registerProductCode(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
#define HEDDLE_KIND(Stem) register##Stem##Code(context);
#include "Kinds.inc"
#undef HEDDLE_KIND
  });
}
