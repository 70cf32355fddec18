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

/// Reads the special tokens from the entry `post_processor` of tokenizer.json in the directory `model`. Returns no
/// tokens if the file or the entry does not exist, or if the file is not valid JSON.
TokenFrame readTokenFrame(llvm::StringRef model);

} // namespace heddle

#endif // HEDDLE_PRECISION_TOKENFRAME_H
