//===- SentenceModules.h - modules.json of sentence-transformers -*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_SENTENCEMODULES_H
#define HEDDLE_IMPORT_HUGGINGFACE_SENTENCEMODULES_H

#include "Layers.h"
#include "SentencePooling.h"

namespace heddle {

/// The modules after the encoder: Pooling, then any number of Dense, LayerNorm and Normalize in the order of
/// modules.json.
class SentenceModules {
public:
  /// Reads modules.json; a directory without it has no modules. Unknown modules are an error.
  static mlir::FailureOr<SentenceModules> read(mlir::MLIRContext &context, llvm::StringRef directory);

  /// Whether the model computes sentence vectors. If it does not, the functions below must not be called.
  bool pools() const { return pooling.has_value(); }

  /// Checks that the modules can be applied to the output of an encoder of width `hidden`.
  mlir::LogicalResult check(mlir::Location loc, int64_t hidden) const;

  /// Adds the weights of the modules to `checkpoint`. The names of a module's tensors get the folder of the module as
  /// prefix, because all modules of a kind use the same names.
  mlir::LogicalResult readWeights(mlir::MLIRContext &context, Checkpoint &checkpoint) const;

  /// Builds the sentence vectors [batch, width] from `hidden` [batch, sequence, hidden] and `mask` i1 [batch,
  /// sequence].
  mlir::Value build(Layers &layers, mlir::Value hidden, mlir::Value mask) const;

private:
  /// A module after the pooling, which computes [batch, out] from [batch, in].
  struct Step {
    enum Kind { Dense, LayerNorm, Normalize } kind = Normalize;
    std::string name, folder; // the name of the folder in modules.json, and the path of the folder
    int64_t in = 0, out = 0;  // the widths of input and output; 0 for Normalize, which accepts any width
    // The fields below are for Dense only.
    bool bias = true, residual = false;
    Activation activation = Activation::None;

    /// The prefix of the names of this module's tensors.
    std::string prefix() const { return name + "/"; }
  };

  static std::optional<Step::Kind> kindOf(llvm::StringRef name);
  /// Sets the other fields of `step` from the module's config.json.
  static mlir::LogicalResult readStep(mlir::MLIRContext &context, Step &step);

  std::optional<SentencePooling> pooling;
  llvm::SmallVector<Step> steps;
};

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_SENTENCEMODULES_H
