//===- Generate.h - greedy generation of tokens -----------------*- C++ -*-===//

#ifndef HEDDLE_GENERATE_H
#define HEDDLE_GENERATE_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace heddle {

/// The token ids of one sequence.
using Tokens = std::vector<int64_t>;

/// Calls of a decoder that has a state with keys and values of the past.
class DecoderCalls {
public:
  virtual ~DecoderCalls() = default;

  /// Calls the decoder with new tokens of each sequence, the same number for all. The call keeps the first `past[i]`
  /// tokens of sequence i in the state and discards later ones. Returns for each sequence i the token that the model
  /// predicts after the new token with the index `last[i]`. Prints errors.
  virtual mlir::FailureOr<Tokens> next(llvm::ArrayRef<Tokens> tokens, llvm::ArrayRef<int64_t> past,
                                       llvm::ArrayRef<int64_t> last) = 0;
};

/// Greedily generates `count` tokens after each prompt. There must be at least one prompt, each prompt must have at
/// least one token, and `count` must be at least 1. Prompts are processed in calls of at most `maximum` tokens of each
/// sequence, and each generated token in a call of its own. The state must have capacity for the longest prompt and
/// `count` - 1 more tokens. A sequence ends after a token of `stops`; this token then fills the rest of the sequence's
/// row in the result.
mlir::FailureOr<std::vector<Tokens>> generate(DecoderCalls &calls, llvm::ArrayRef<Tokens> prompts, int64_t count,
                                              int64_t maximum, llvm::ArrayRef<int64_t> stops = {});

} // namespace heddle

#endif // HEDDLE_GENERATE_H
