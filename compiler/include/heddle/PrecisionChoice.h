//===- PrecisionChoice.h - the precision of a model's layers ----*- C++ -*-===//

#ifndef HEDDLE_PRECISIONCHOICE_H
#define HEDDLE_PRECISIONCHOICE_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"

#include <array>
#include <string>

namespace heddle {

/// How a layer stores its weight and rounds the rows of its input.
enum class LayerFormat {
  F32,
  BF16,     // weight and rows are bf16, sums are f32
  Int8,     // the weight is i8 with a scale per column, rows are ui8 with a scale and a zero point per row
  Int8Block // like Int8, but each block of 32 elements of a column or row has a scale (and zero point)
};
llvm::StringRef formatName(LayerFormat format);

/// The kinds of layers to which a user can assign a precision.
enum class ModelPart { Linear, Ffn, Embedding, Attention };
inline constexpr size_t numParts = 4;

/// The value of `--precision`.
struct PrecisionChoice {
  std::string text = "f32"; // as the user wrote it
  /// "bf16" or "f16": weights are stored in this type and all computations are in f32. "": `formats` applies.
  std::string storage;
  std::array<LayerFormat, numParts> formats = {}; // all f32
  std::array<bool, numParts> areNamed = {};       // whether `text` names the kind of layers

  LayerFormat of(ModelPart part) const { return formats[size_t(part)]; }
  bool isNamed(ModelPart part) const { return areNamed[size_t(part)]; }
  /// Whether any kind of layer has a lower precision than f32.
  bool rounds() const;
};

/// Parses a text such as "int8", "int8:ffn,bf16:linear" or "bf16-weights". Returns "" or an error text.
std::string parsePrecision(llvm::StringRef text, PrecisionChoice &choice);

} // namespace heddle

#endif // HEDDLE_PRECISIONCHOICE_H
