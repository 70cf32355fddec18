//===- SentenceModules.h - modules.json of sentence-transformers -*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_SENTENCEMODULES_H
#define HEDDLE_IMPORT_HUGGINGFACE_SENTENCEMODULES_H

#include "Layers.h"
#include "SentencePooling.h"

namespace heddle {

/// What follows the encoder: pooling, then linear layers and normalisations.
class SentenceModules {
public:
  /// None for a directory without modules.json. Modules that are not known are an error.
  static mlir::FailureOr<SentenceModules> read(mlir::MLIRContext &context, llvm::StringRef directory);

  /// Whether there is a sentence's vector at all. If not, none of the others must be called.
  bool pools() const { return pooling.has_value(); }

  /// Whether an encoder of this width fits.
  mlir::LogicalResult check(mlir::Location loc, int64_t hidden) const;

  /// Adds the weights of linear layers to the encoder's.
  mlir::LogicalResult readWeights(mlir::MLIRContext &context, Checkpoint &checkpoint) const;

  /// The sentences' vectors [batch, width], of `hidden` [batch, sequence, hidden] and `mask` i1 [batch, sequence].
  mlir::Value build(Layers &layers, mlir::Value hidden, mlir::Value mask) const;

private:
  /// A linear layer with an activation, or with none the division by the Euclidean length.
  struct Step {
    std::string folder;
    std::optional<Projection> dense;
    Activation activation = Activation::None;
    int64_t in = 0;
    bool residual = false;
  };

  static mlir::FailureOr<Step> readStep(mlir::MLIRContext &context, llvm::StringRef folder, bool dense);

  std::optional<SentencePooling> pooling;
  llvm::SmallVector<Step> steps;
};

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_SENTENCEMODULES_H
