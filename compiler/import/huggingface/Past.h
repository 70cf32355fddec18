//===- Past.h - the state of a decoder --------------------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_PAST_H
#define HEDDLE_IMPORT_HUGGINGFACE_PAST_H

#include "../module/MainBuilder.h"
#include "../sizes/Dim.h"

namespace heddle {

/// Builds the state of a decoder, which contains the keys and values of the tokens before a call and has room for
/// `capacity` tokens of each sequence. The input `past` contains the number of past tokens of each sequence. The class
/// also computes the positions of the new tokens.
class Past {
public:
  /// Adds the input `past` [batch]. `sequence` is the number of new tokens of each sequence.
  Past(MainBuilder &main, const Dim &batch, const Dim &sequence, const Dim &capacity);

  /// Appends the keys and values [batch, sequence, heads, size] of the next layer to the state. Returns all keys and
  /// values of the layer, [batch, heads, capacity, size].
  std::pair<mlir::Value, mlir::Value> append(MainBuilder &main, mlir::Value keys, mlir::Value values);

  const Dim capacity;    // the maximum number of tokens of each sequence, including the new ones
  mlir::Value positions; // [batch, sequence], positions of the new tokens
  mlir::Value lengths;   // [batch], the number of past and new tokens together

private:
  /// Appends the keys or the values of the next layer. `part`, "key" or "value", is a part of the state's name.
  mlir::Value append(MainBuilder &main, mlir::Value rows, const char *part);

  mlir::Value past;   // the input `past`
  int64_t layers = 0; // the number of layers whose keys and values were appended so far
};

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_PAST_H
