//===- RunGenerate.h - heddle run --generate --------------------*- C++ -*-===//

#ifndef HEDDLE_TOOLS_RUNGENERATE_H
#define HEDDLE_TOOLS_RUNGENERATE_H

#include "ModelArguments.h"

#include "heddle/DecoderCalls.h"

namespace heddle {

/// Reads the prompts from the file: the rows of `input_ids` [batch, longest], without the tokens whose `attention_mask`
/// is 0.
mlir::FailureOr<std::vector<Tokens>> readPrompts(mlir::MLIRContext &context, llvm::StringRef path);

/// Adds the sizes that --dim does not set: the number of prompts as the batch size, calls from one token to the length
/// of the longest prompt, and a capacity for `count` further tokens.
void addDecoderDims(ModelArguments &arguments, llvm::ArrayRef<Tokens> prompts, int64_t count);

/// Returns the values of the model's sizes for these prompts, and the maximum number of new tokens of one call. Emits
/// an error if the capacity is too small or if the model cannot be called with a single token.
mlir::FailureOr<std::pair<NamedValues, int64_t>> sizesForPrompts(const Model &model, llvm::ArrayRef<Tokens> prompts,
                                                                 int64_t count, llvm::StringRef path);

/// Checks that all tokens of the prompts are in the model's vocabulary. The error names the token that is not in the
/// vocabulary.
mlir::LogicalResult checkPrompts(const Model &model, llvm::ArrayRef<Tokens> prompts, llvm::StringRef path);

/// Parses the tokens that end a sequence. `texts` are decimal integers of any length. The error names a token outside
/// of the model's vocabulary.
mlir::FailureOr<Tokens> readStops(const Model &model, llvm::ArrayRef<std::string> texts);

/// Writes `tokens` [batch, count] to a .safetensors file.
mlir::LogicalResult writeTokens(mlir::MLIRContext &context, llvm::ArrayRef<Tokens> tokens, llvm::StringRef path);

} // namespace heddle

#endif // HEDDLE_TOOLS_RUNGENERATE_H
