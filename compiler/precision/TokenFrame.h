//===- TokenFrame.h - special tokens around a text --------------*- C++ -*-===//

#ifndef HEDDLE_PRECISION_TOKENFRAME_H
#define HEDDLE_PRECISION_TOKENFRAME_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace heddle {

/// The special tokens that a tokenizer adds before and after each text, such as [CLS] and [SEP]. Most tokens of a short
/// text are special tokens.
struct TokenFrame {
  llvm::SmallVector<int64_t> before, after;
};

/// Reads these tokens from `post_processor` of the tokenizer.json in a model's directory. Returns no tokens if there is
/// no such file or entry.
TokenFrame readTokenFrame(llvm::StringRef model);

} // namespace heddle

#endif // HEDDLE_PRECISION_TOKENFRAME_H
