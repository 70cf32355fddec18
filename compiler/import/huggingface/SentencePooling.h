//===- SentencePooling.h - a sentence's vector of its tokens' ---*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_SENTENCEPOOLING_H
#define HEDDLE_IMPORT_HUGGINGFACE_SENTENCEPOOLING_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle {

/// The module Pooling of sentence-transformers: how a sentence's vector is made of its tokens' vectors.
class SentencePooling {
public:
  /// Reads its config.json. Kinds of pooling that are not known are an error.
  static mlir::FailureOr<SentencePooling> read(mlir::MLIRContext &context, llvm::StringRef path);

  /// `hidden` [batch, sequence, width], `mask` i1 [batch, sequence], true for tokens.
  mlir::Value build(mlir::ImplicitLocOpBuilder &builder, mlir::Value hidden, mlir::Value mask) const;

  int64_t width = 0; // of tokens' vectors
  /// That of the sentences'.
  int64_t getOutWidth() const { return width * modes.size(); }

private:
  using Pool = mlir::Value (*)(mlir::ImplicitLocOpBuilder &builder, mlir::Value hidden, mlir::Value mask);
  struct Mode;
  static llvm::ArrayRef<Mode> getModes();

  // In the order in which their vectors are concatenated.
  llvm::SmallVector<Pool> modes;
};

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_SENTENCEPOOLING_H
