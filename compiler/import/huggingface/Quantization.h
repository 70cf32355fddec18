//===- Quantization.h - quantisation settings of a directory ----*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_QUANTIZATION_H
#define HEDDLE_IMPORT_HUGGINGFACE_QUANTIZATION_H

#include "Heddle.h"

#include "mlir/IR/Diagnostics.h"

#include <optional>

namespace heddle {

class Config;

/// The settings of linear layers in quantization_config of config.json. A layer whose weight is stored as floats is not
/// quantised: the tensors of the file show which layers these are.
struct Quantization {
  /// The tensor with the integers of layer NAME: NAME.weight of type i8 (compressed-tensors), NAME.weight_packed
  /// (compressed-tensors), or NAME.qweight (GPTQ).
  enum class Scheme { Integers, Packed, Gptq };
  Scheme format = Scheme::Integers;
  int64_t bits = 8;
  int64_t group = 0;    // the number of elements of a column of [in, out] that share a scale; 0: all
  bool perTensor = false; // one scale for the whole tensor
  bool hasZeros = false;
  /// How GPTQ's zero points are stored: unchanged (Same); each minus 1, modulo 2^bits (LessOne); or minus 1 by a single
  /// subtraction from a word, with borrows between its zero points (WordsLessOnes).
  enum class StoredZeros { Same, LessOne, WordsLessOnes };
  StoredZeros storedZeros = StoredZeros::Same;

  RowRoundingAttr rounding = {}; // null: rows are not rounded
  bool isStatic = false;         // each layer stores the scale and zero point of its input's rows as tensors
};

/// Reads the field quantization_config. Unsupported values are refused by name. Returns nothing if the field is
/// missing.
std::optional<Quantization> readQuantization(Config &config);

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_QUANTIZATION_H
