//===- BertConfig.h - what config.json says of a bert -----------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_BERTCONFIG_H
#define HEDDLE_IMPORT_HUGGINGFACE_BERTCONFIG_H

#include "Heddle.h"

#include "mlir/IR/Location.h"
#include "llvm/Support/JSON.h"

namespace heddle {

struct BertConfig {
  int64_t vocabulary, types, positions; // rows of the three embeddings
  int64_t hidden, intermediate, layers, heads;
  double epsilon;
  Activation activation;

  static mlir::FailureOr<BertConfig> read(mlir::Location loc, const llvm::json::Object &object);
};

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_BERTCONFIG_H
