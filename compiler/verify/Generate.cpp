//===- Generate.cpp - greedy generation of tokens -------------------------===//

#include "heddle/Generate.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace heddle;

/// Calls the decoder with `length` tokens of each prompt, beginning at token `start`. If fewer tokens of a prompt
/// remain, passes the last `length` tokens of the prompt instead or, if the prompt is shorter, the whole prompt and
/// padding. Therefore no call stores rows beyond the capacity of the state, and the last call contains the end of each
/// prompt.
static FailureOr<Tokens> callPart(DecoderCalls &calls, ArrayRef<Tokens> prompts, int64_t start, int64_t length) {
  std::vector<Tokens> parts;
  SmallVector<int64_t> past, last;
  for (const Tokens &prompt : prompts) {
    int64_t size = prompt.size(), begin = std::min(start, std::max<int64_t>(size - length, 0));
    int64_t end = std::min(size, begin + length);
    parts.emplace_back(prompt.begin() + begin, prompt.begin() + end);
    parts.back().resize(length); // pad a shorter prompt with arbitrary tokens
    past.push_back(begin);
    last.push_back(end - begin - 1);
  }
  return calls.next(parts, past, last);
}

FailureOr<std::vector<Tokens>> heddle::generate(DecoderCalls &calls, ArrayRef<Tokens> prompts, int64_t count,
                                                int64_t maximum, ArrayRef<int64_t> stops) {
  std::vector<Tokens> followed(prompts.size()); // the generated tokens of each sequence
  int64_t longest = 0;
  SmallVector<int64_t> past; // the number of stored rows of each sequence
  for (const Tokens &prompt : prompts) {
    past.push_back(prompt.size());
    longest = std::max<int64_t>(longest, prompt.size());
  }
  int64_t length = std::min(maximum, longest);
  FailureOr<Tokens> said = Tokens(); // the next token of each sequence
  for (int64_t start = 0; start < longest && succeeded(said); start += length)
    said = callPart(calls, prompts, std::min(start, longest - length), length);
  SmallVector<int64_t> zeros(prompts.size(), 0);
  while (succeeded(said)) {
    std::vector<Tokens> step;
    SmallVector<bool> runs;
    for (auto [tokens, token] : llvm::zip_equal(followed, *said)) {
      bool hasEnded = !tokens.empty() && llvm::is_contained(stops, tokens.back());
      tokens.push_back(hasEnded ? tokens.back() : token);
      step.push_back({tokens.back()});
      runs.push_back(!llvm::is_contained(stops, tokens.back()));
    }
    if (!llvm::is_contained(runs, true))
      for (Tokens &tokens : followed)
        tokens.resize(count, tokens.back());
    if (int64_t(followed.front().size()) >= count)
      return followed;
    said = calls.next(step, past, zeros);
    // A sequence that has ended keeps its past, so its next token overwrites the same row.
    for (auto [rows, isRunning] : llvm::zip_equal(past, runs))
      rows += isRunning;
  }
  return failure();
}
