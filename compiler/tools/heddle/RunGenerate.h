//===- RunGenerate.h - heddle run --generate --------------------*- C++ -*-===//

#ifndef HEDDLE_TOOLS_RUNGENERATE_H
#define HEDDLE_TOOLS_RUNGENERATE_H

#include "ModelArguments.h"

#include "heddle/DecoderCalls.h"

namespace heddle {

/// Reads the prompts from the .safetensors file `path`. A prompt is a row of the tensor `input_ids` [batch, longest],
/// without the tokens for which the tensor `attention_mask` is 0.
mlir::FailureOr<std::vector<Tokens>> readPrompts(mlir::MLIRContext &context, llvm::StringRef path);

/// Adds the sizes that --dim does not set. The batch size is the number of prompts. The number of tokens of a call lies
/// in a range from 1 to the length of the longest prompt, but at most 512. The capacity is enough for `count` tokens
/// after the longest prompt.
void addDecoderDims(ModelArguments &arguments, llvm::ArrayRef<Tokens> prompts, int64_t count);

/// Returns the values of the model's sizes for these prompts and `count` generated tokens, and the maximum number of
/// new tokens of one call. Emits an error if the capacity is too small, if the model does not support the number of
/// prompts as its batch size, or if it cannot be called with a single token. The error names `path`, the file of the
/// prompts.
mlir::FailureOr<std::pair<NamedValues, int64_t>> sizesForPrompts(const Model &model, llvm::ArrayRef<Tokens> prompts,
                                                                 int64_t count, llvm::StringRef path);

/// Checks that all tokens of the prompts are in the model's vocabulary. The error names the token that is not in the
/// vocabulary.
mlir::LogicalResult checkPrompts(const Model &model, llvm::ArrayRef<Tokens> prompts, llvm::StringRef path);

/// Parses the values of --stop, the tokens that end a sequence. `texts` are decimal integers of any length. Emits an
/// error for a token outside of the model's vocabulary.
mlir::FailureOr<Tokens> readStops(const Model &model, llvm::ArrayRef<std::string> texts);

/// Writes `tokens` [batch, count] to a .safetensors file.
mlir::LogicalResult writeTokens(mlir::MLIRContext &context, llvm::ArrayRef<Tokens> tokens, llvm::StringRef path);

} // namespace heddle

#endif // HEDDLE_TOOLS_RUNGENERATE_H
