//===- Quantization.h - quantisation settings of a directory ----*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_QUANTIZATION_H
#define HEDDLE_IMPORT_HUGGINGFACE_QUANTIZATION_H

#include "Heddle.h"

#include "mlir/IR/Diagnostics.h"

#include <optional>

namespace heddle {

class Config;

/// The settings of quantised linear layers in quantization_config of config.json. The names and types of the tensors in
/// the file determine which layers are quantised: a layer whose weight is stored as floats is not.
struct Quantization {
  /// The tensor with the integers of layer NAME: NAME.weight of type i8 (compressed-tensors), NAME.weight_packed
  /// (compressed-tensors), or NAME.qweight (GPTQ).
  enum class Scheme { Integers, Packed, Gptq };
  Scheme format = Scheme::Integers;
  int64_t bits = 8; // the width of the weight's integers in bits
  // The number of elements of a column of the weight [in, out] that share a scale; 0 if the whole column shares one.
  int64_t group = 0;
  bool perTensor = false; // whether the whole weight has one scale
  bool hasZeros = false;  // whether the weight has zero points
  /// How GPTQ's zero points are stored. Same: unchanged. LessOne: each minus 1, modulo 2^bits. WordsLessOnes: a single
  /// subtraction for each word subtracts 1 from all of its zero points, and may borrow between them.
  enum class StoredZeros { Same, LessOne, WordsLessOnes };
  StoredZeros storedZeros = StoredZeros::Same;

  RowRoundingAttr rounding = {}; // the rounding of the layers' input rows; null if rows are not rounded
  // Whether the file contains the scale and, optionally, the zero point of each layer's input rows as tensors.
  bool isStatic = false;
};

/// Reads the field quantization_config. Emits errors that name the unsupported fields. Returns nothing if the field
/// quantization_config is missing or null.
std::optional<Quantization> readQuantization(Config &config);

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_QUANTIZATION_H
