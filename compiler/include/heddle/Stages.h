//===- Stages.h - stages of the compiler ------------------------*- C++ -*-===//

#ifndef HEDDLE_STAGES_H
#define HEDDLE_STAGES_H

#include "mlir/Pass/PassManager.h"

#include <optional>
#include <string>

namespace heddle {

/// The stages of a compilation, in the order in which they run.
enum class Stage {
  Import,
  Recognise,
  Fuse,
  Kernels,
  Tile,
  Vectorize,
  Bufferize,
  Plan,
  Dispatch,
  Loops,
  LLVM,
  LLVMIR,
  Object
};

/// The names of the stages on the command line, in the order of the stages.
llvm::ArrayRef<llvm::StringRef> stageNames();
llvm::StringRef stageName(Stage stage);
std::optional<Stage> parseStage(llvm::StringRef name);

// The following stages are the same for every target, except that stage recognise depends on the types that a device
// multiplies.

/// Makes models that are written in f16 or bf16 compute in f32, and replaces decomposed layers by heddle operations.
/// Linear layers whose rows and weights a model declares in one of the types `products` (TargetFacts.h) round their
/// rows to this type, as the model does. Attention whose operands a model declares in one of the types
/// `attentionProducts` rounds the factors of its products to this type.
void buildRecognisePipeline(mlir::OpPassManager &manager, llvm::ArrayRef<std::string> products = {},
                            llvm::ArrayRef<std::string> attentionProducts = {});

/// Fuses epilogues and residuals into their layers, and all other operations into few linalg.generic operations. Also
/// merges the projections of query, key and value into one layer, checks the model's states, adds a check of computed
/// indices, and makes rows of padding zero where no output needs them, so that layers can skip these rows. Operations
/// that split or merge attention heads are removed: attributes for the layouts of operands and results replace them.
void buildFusePipeline(mlir::OpPassManager &manager);

/// Outlines the operations of @main into private kernel functions; equal kernels share one function.
void buildKernelsPipeline(mlir::OpPassManager &manager);

// Each target builds later stages from the following pipelines and from passes of its own.

/// Converts tensors to buffers. The weights become one block of bytes, in which each weight has an offset that is a
/// multiple of `alignment` bytes, and @main writes its results to buffers that the caller passes.
void buildBufferizePipeline(mlir::OpPassManager &manager, int64_t alignment = 64);

/// Converts allocations to views of one arena, at offsets that are multiples of `alignment` bytes. With `workgroups`,
/// allocations inside parallel loops are left unchanged, because they are memory of workgroups.
void buildPlanPipeline(mlir::OpPassManager &manager, int64_t alignment = 64, bool workgroups = false);

/// Canonicalises, eliminates common subexpressions and canonicalises again, because one canonicalisation can leave a
/// copy of a buffer to itself.
void addCleanup(mlir::OpPassManager &manager);

} // namespace heddle

#endif // HEDDLE_STAGES_H
