//===- SentencePooling.h - pooling of sentence vectors ----------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_SENTENCEPOOLING_H
#define HEDDLE_IMPORT_HUGGINGFACE_SENTENCEPOOLING_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle {

/// The Pooling module of sentence-transformers, which computes a sentence's vector from its tokens' vectors.
class SentencePooling {
public:
  SentencePooling() = default;
  /// Creates the pooling with the name `mode` in sentence-transformers, for vectors of `width` elements.
  SentencePooling(llvm::StringRef mode, int64_t width);

  /// Reads the module's config.json, whose path is `path`. Emits errors, for example for unknown kinds of pooling and
  /// unknown fields.
  static mlir::FailureOr<SentencePooling> read(mlir::MLIRContext &context, llvm::StringRef path);

  /// Builds the sentence vectors [batch, getOutWidth()]. `hidden` is [batch, sequence, width]; `mask`, i1 [batch,
  /// sequence], is true for tokens and false for padding.
  mlir::Value build(mlir::ImplicitLocOpBuilder &builder, mlir::Value hidden, mlir::Value mask) const;

  int64_t width = 0; // the width of tokens' vectors
  /// Returns the width of sentence vectors.
  int64_t getOutWidth() const { return width * modes.size(); }

private:
  /// A function of PooledTokens.h.
  using Pool = mlir::Value (*)(mlir::ImplicitLocOpBuilder &builder, mlir::Value hidden, mlir::Value mask);
  struct Mode;
  static llvm::ArrayRef<Mode> getModes();

  // The kinds of pooling, in the order in which their vectors are concatenated.
  llvm::SmallVector<Pool> modes;
};

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_SENTENCEPOOLING_H
