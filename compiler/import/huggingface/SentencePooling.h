//===- SentencePooling.h - modules.json of sentence-transformers -*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_SENTENCEPOOLING_H
#define HEDDLE_IMPORT_HUGGINGFACE_SENTENCEPOOLING_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <optional>

namespace heddle {

/// How a sentence's vector is made of its tokens' vectors.
class SentencePooling {
public:
  /// Whether the directory has a modules.json.
  static bool isIn(llvm::StringRef directory);

  /// None for a directory without modules.json. Modules that are not known are an error.
  static mlir::FailureOr<std::optional<SentencePooling>>
  read(mlir::MLIRContext &context, llvm::StringRef directory, int64_t hidden);

  /// `hidden` [batch, sequence, d], `mask` i1 [batch, sequence], true for tokens.
  mlir::Value build(mlir::ImplicitLocOpBuilder &builder, mlir::Value hidden, mlir::Value mask) const;

private:
  mlir::LogicalResult readPooling(mlir::MLIRContext &context, llvm::StringRef path, int64_t hidden);

  // In the order in which their vectors are concatenated.
  enum class Mode { Cls, Max, Mean, MeanSqrtLength };
  llvm::SmallVector<Mode> modes;
  bool normalize = false;
};

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_SENTENCEPOOLING_H
