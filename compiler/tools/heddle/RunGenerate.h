//===- RunGenerate.h - heddle run --generate --------------------*- C++ -*-===//

#ifndef HEDDLE_TOOLS_RUNGENERATE_H
#define HEDDLE_TOOLS_RUNGENERATE_H

#include "ModelArguments.h"

#include "heddle/DecoderCalls.h"

namespace heddle {

/// What is to be continued: `input_ids` [batch, longest] of a file, without what its `attention_mask` has zeros for.
mlir::FailureOr<std::vector<Tokens>> readPrompts(mlir::MLIRContext &context, llvm::StringRef path);

/// Where --dim does not say them: a batch of these prompts, calls of one token up to the longest prompt, and room for
/// `count` more.
void addDecoderDims(ModelArguments &arguments, llvm::ArrayRef<Tokens> prompts, int64_t count);

/// What those of the model's sizes that lie in ranges are for these prompts, and the most new tokens of a call. An
/// error where there is no room, or no call with one token alone.
mlir::FailureOr<std::pair<NamedValues, int64_t>> sizesForPrompts(const Model &model, llvm::ArrayRef<Tokens> prompts,
                                                                 int64_t count, llvm::StringRef path);

/// Whether all tokens of the prompts are the model's. An error says which is not.
mlir::LogicalResult checkPrompts(const Model &model, llvm::ArrayRef<Tokens> prompts, llvm::StringRef path);

/// Those that end a sequence, of texts that are integers of any length. An error says which is not the model's.
mlir::FailureOr<Tokens> readStops(const Model &model, llvm::ArrayRef<std::string> texts);

/// Writes `tokens` [batch, count] to a .safetensors file.
mlir::LogicalResult writeTokens(mlir::MLIRContext &context, llvm::ArrayRef<Tokens> tokens, llvm::StringRef path);

} // namespace heddle

#endif // HEDDLE_TOOLS_RUNGENERATE_H
