//===- SentenceModules.h - modules.json of sentence-transformers -*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_SENTENCEMODULES_H
#define HEDDLE_IMPORT_HUGGINGFACE_SENTENCEMODULES_H

#include "DirectoryCheckpoint.h"
#include "Layers.h"
#include "SentencePooling.h"

namespace heddle {

/// The modules of a sentence-transformers model that follow the encoder: Pooling, then any number of Dense, LayerNorm
/// and Normalize modules, in the order in which modules.json lists them. Modules of the class Dropout are ignored.
class SentenceModules {
public:
  /// These constructors create an empty list of modules, and a list whose only module is `pooling`.
  SentenceModules() = default;
  explicit SentenceModules(SentencePooling pooling) : pooling(std::move(pooling)) {}

  /// Reads modules.json; a directory without this file has no modules. Emits errors, for example for unknown modules.
  static mlir::FailureOr<SentenceModules> read(mlir::MLIRContext &context, llvm::StringRef directory);

  /// Returns whether the model computes sentence vectors. If the result is false, check() and build() must not be
  /// called.
  bool pools() const { return pooling.has_value(); }

  /// Checks that the modules can be applied to the output of an encoder of width `hidden`.
  mlir::LogicalResult check(mlir::Location loc, int64_t hidden) const;

  /// Adds the weights of the modules to `checkpoint`. The names of a module's tensors get the folder of the module as
  /// prefix, because all modules of a kind use the same names.
  mlir::LogicalResult readWeights(mlir::MLIRContext &context, DirectoryCheckpoint &checkpoint) const;

  /// Builds the sentence vectors [batch, width] from `hidden` [batch, sequence, hidden] and `mask` i1 [batch,
  /// sequence].
  mlir::Value build(Layers &layers, mlir::Value hidden, mlir::Value mask) const;

private:
  /// A module after the pooling, which computes [batch, out] from [batch, in].
  struct Step {
    enum Kind { Dense, LayerNorm, Normalize } kind = Normalize;
    std::string name, folder; // the name of the folder in modules.json, and the path of the folder
    int64_t in = 0, out = 0;  // the widths of input and output; 0 for Normalize, which accepts any width
    // The fields below are for Dense only. The result is activation(linear(x)), plus x or a projection of x if
    // `residual` is true.
    bool bias = true, residual = false;
    Activation activation = Activation::None;

    /// Returns the prefix of the names of this module's tensors.
    std::string prefix() const { return name + "/"; }
  };

  /// Returns the kind of a module after the pooling, given the name of its class; nothing if the class is not
  /// supported.
  static std::optional<Step::Kind> kindOf(llvm::StringRef name);
  /// Sets the fields of `step` other than `kind`, `name` and `folder` from the module's config.json.
  static mlir::LogicalResult readStep(mlir::MLIRContext &context, Step &step);

  std::optional<SentencePooling> pooling; // nothing if the model computes no sentence vectors
  llvm::SmallVector<Step> steps;
};

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_SENTENCEMODULES_H
