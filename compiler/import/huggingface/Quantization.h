//===- Quantization.h - how a directory's layers are quantised --*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_QUANTIZATION_H
#define HEDDLE_IMPORT_HUGGINGFACE_QUANTIZATION_H

#include "Heddle.h"

#include "mlir/IR/Diagnostics.h"

#include <optional>

namespace heddle {

class Config;

/// What quantization_config of config.json says of linear layers. A layer whose weight is stored as floats is none of
/// these: the file says by its tensors which are left out.
struct Quantization {
  /// NAME.weight as i8, of compressed-tensors; NAME.weight_packed; NAME.qweight, of GPTQ.
  enum class Format { Integers, Packed, Gptq };
  Format format = Format::Integers;
  int64_t bits = 8;
  int64_t group = 0;    // elements of a column of [in, out] that share a scale; 0: all
  bool perTensor = false; // one scale for all columns
  bool hasZeros = false;
  /// GPTQ's zero points are stored as they are; each less 1, which wraps in its bits; or less 1 in each by one subtraction
  /// from a word of them, where one borrows from the next.
  enum class StoredZeros { Same, LessOne, WordsLessOnes };
  StoredZeros storedZeros = StoredZeros::Same;

  RowRoundingAttr rounding = {}; // null: rows stay floats
  bool isStatic = false;         // its step and zero are tensors of each layer
};

/// Reads the field; what is not supported is refused by its name. None where there is none.
std::optional<Quantization> readQuantization(Config &config);

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_QUANTIZATION_H
