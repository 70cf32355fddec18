//===- Generate.h - token after token ---------------------------*- C++ -*-===//

#ifndef HEDDLE_GENERATE_H
#define HEDDLE_GENERATE_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace heddle {

/// Token ids of one sequence.
using Tokens = std::vector<int64_t>;

/// Calls of a decoder that keeps a past.
class DecoderCalls {
public:
  virtual ~DecoderCalls() = default;

  /// One call: `tokens` of each sequence, as many of all, behind `past` that it has already. What comes behind token
  /// `last` of each. Errors are printed.
  virtual mlir::FailureOr<Tokens> next(llvm::ArrayRef<Tokens> tokens, llvm::ArrayRef<int64_t> past,
                                       llvm::ArrayRef<int64_t> last) = 0;
};

/// The `count` tokens that follow each prompt, of one token at least each, greedily: prompts in calls of at most `most`
/// tokens of each, then one at a time. The past has room for the longest prompt and what follows but the last. Behind a
/// token of `stops` a sequence has ended, and has that token again and again.
mlir::FailureOr<std::vector<Tokens>> generate(DecoderCalls &calls, llvm::ArrayRef<Tokens> prompts, int64_t count,
                                              int64_t most, llvm::ArrayRef<int64_t> stops = {});

} // namespace heddle

#endif // HEDDLE_GENERATE_H
