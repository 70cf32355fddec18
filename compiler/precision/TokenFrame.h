//===- TokenFrame.h - tokens around a text ----------------------*- C++ -*-===//

#ifndef HEDDLE_PRECISION_TOKENFRAME_H
#define HEDDLE_PRECISION_TOKENFRAME_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace heddle {

/// What a tokenizer puts before and after each text: [CLS] and [SEP]. In short texts they are most of it.
struct TokenFrame {
  llvm::SmallVector<int64_t> before, after;
};

/// As `post_processor` of the tokenizer.json in a model's directory has it; nothing where there is none.
TokenFrame readTokenFrame(llvm::StringRef model);

} // namespace heddle

#endif // HEDDLE_PRECISION_TOKENFRAME_H
