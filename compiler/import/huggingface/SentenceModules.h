//===- SentenceModules.h - modules.json of sentence-transformers -*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_SENTENCEMODULES_H
#define HEDDLE_IMPORT_HUGGINGFACE_SENTENCEMODULES_H

#include "Layers.h"
#include "SentencePooling.h"

namespace heddle {

/// The modules after the encoder: pooling, then linear layers and normalisations.
class SentenceModules {
public:
  /// Reads modules.json; a directory without it has no modules. Unknown modules are an error.
  static mlir::FailureOr<SentenceModules> read(mlir::MLIRContext &context, llvm::StringRef directory);

  /// Whether the model computes sentence vectors. If not, the functions below must not be called.
  bool pools() const { return pooling.has_value(); }

  /// Checks that the modules fit an encoder of this width.
  mlir::LogicalResult check(mlir::Location loc, int64_t hidden) const;

  /// Adds the weights of the linear layers to the encoder's.
  mlir::LogicalResult readWeights(mlir::MLIRContext &context, Checkpoint &checkpoint) const;

  /// Builds the sentence vectors [batch, width] from `hidden` [batch, sequence, hidden] and `mask` i1 [batch,
  /// sequence].
  mlir::Value build(Layers &layers, mlir::Value hidden, mlir::Value mask) const;

private:
  /// A linear layer with an activation. Without `dense` it is the division by the Euclidean length.
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
