//===- Past.h - what a decoder keeps between calls --------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_PAST_H
#define HEDDLE_IMPORT_HUGGINGFACE_PAST_H

#include "../module/MainBuilder.h"
#include "../sizes/Dim.h"

namespace heddle {

/// Keys and values of the tokens before those of a call, `past` of them in each sequence, in memory for `capacity`; and
/// where the new ones stand.
class Past {
public:
  /// Adds the input `past` [batch]. `sequence`: of how many new tokens.
  Past(MainBuilder &main, const Dim &batch, const Dim &sequence, const Dim &capacity);

  /// For the next layer: its keys and values [batch, sequence, heads, size] stand behind those of the past. All of
  /// them, [batch, heads, capacity, size].
  std::pair<mlir::Value, mlir::Value> append(MainBuilder &main, mlir::Value keys, mlir::Value values);

  const Dim capacity;
  mlir::Value positions; // [batch, sequence], of the new tokens
  mlir::Value lengths;   // [batch], of the past and the new tokens together

private:
  mlir::Value append(MainBuilder &main, mlir::Value rows, const char *part);

  mlir::Value past;
  int64_t layers = 0; // that were appended to
};

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_PAST_H
