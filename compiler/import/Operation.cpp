//===- Operation.cpp - one operation, given in words ----------------------===//

#include "Operation.h"


using namespace mlir;
using namespace heddle;

bool heddle::namesOperation(StringRef text) {
  static const char *const names[] = {"attention",  "ffn",      "layer_norm",       "linear", "linear_attention",
                                      "rms_norm", "rotary_embedding", "softmax"};
  return llvm::is_contained(names, text.trim().split(' ').first);
}

FailureOr<Model> heddle::importOperation(MLIRContext &context, StringRef text, const ImportOptions &) {
  return emitError(NameLoc::get(StringAttr::get(&context, text))) << "quoted operations are not read yet";
}
