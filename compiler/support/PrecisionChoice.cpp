//===- PrecisionChoice.cpp - parses --precision ---------------------------===//
//
// The value of --precision is a format for all layers (int8), formats for some
// kinds of layers (int8:ffn,bf16:linear), or a type in which weights are stored
// while layers compute in f32 (bf16-weights).
//
//===----------------------------------------------------------------------===//
#include "heddle/PrecisionChoice.h"

#include "llvm/ADT/StringExtras.h"

#include <optional>

using namespace mlir;
using namespace heddle;

// The names of the values of LayerFormat and of ModelPart, in the order of these enums.
static constexpr StringRef formatNames[] = {"f32", "bf16", "int8", "int8-block"};
static constexpr StringRef partNames[] = {"linear", "ffn", "embedding", "attention"};
static constexpr StringRef storages[] = {"bf16-weights", "f16-weights"};

StringRef heddle::formatName(LayerFormat format) { return formatNames[size_t(format)]; }

bool PrecisionChoice::rounds() const {
  return llvm::any_of(formats, [](LayerFormat format) { return format != LayerFormat::F32; });
}

static std::optional<LayerFormat> findFormat(StringRef name) {
  const StringRef *found = llvm::find(formatNames, name);
  return found == std::end(formatNames) ? std::nullopt : std::optional(LayerFormat(found - formatNames));
}

/// Returns the format in which embedding tables are stored if a user chooses `format` for all kinds of layers, or for
/// embedding tables alone (the caller refuses bf16 for these alone). Rows of tables are looked up and not multiplied,
/// so the tables are stored in 8 bits or remain in f32.
static LayerFormat ofTables(LayerFormat format) {
  return format == LayerFormat::Int8Block ? LayerFormat::Int8 : format == LayerFormat::BF16 ? LayerFormat::F32 : format;
}

/// Returns the format of attention if a user chooses `format` for all kinds of layers. The operands of its products are
/// not stored weights that could be quantized in advance, so the products are computed in bf16 or f32.
static LayerFormat ofAttention(LayerFormat format) {
  return format == LayerFormat::BF16 ? format : LayerFormat::F32;
}

/// Returns the error text for a name that is not the name of a format.
static std::string unknown(StringRef name) {
  if (name == "f16")
    return "layers cannot be computed in f16; f16-weights stores the weights in f16 and computes in f32";
  return "'" + name.str() + "' is not a precision; the precisions are " + llvm::join(ArrayRef(formatNames), ", ") +
         ", " + llvm::join(ArrayRef(storages), " and ");
}

std::string heddle::parsePrecision(StringRef text, PrecisionChoice &choice) {
  choice = PrecisionChoice();
  choice.text = text.str();
  if (llvm::is_contained(storages, text)) {
    choice.storage = text.drop_back(StringRef("-weights").size()).str();
    return "";
  }
  std::optional<LayerFormat> all;
  std::array<std::optional<LayerFormat>, numParts> parts;
  SmallVector<StringRef> entries;
  text.split(entries, ',');
  for (StringRef entry : entries) {
    auto [name, part] = entry.split(':');
    if (llvm::is_contained(storages, name))
      return "'" + name.str() + "' is for all layers and cannot be combined with other precisions";
    std::optional<LayerFormat> format = findFormat(name);
    if (!format)
      return unknown(name);
    const StringRef *found = llvm::find(partNames, part);
    if (entry.contains(':') && found == std::end(partNames))
      return "'" + entry.str() + "': '" + part.str() + "' is not a part of a model; the parts are " +
             llvm::join(ArrayRef(partNames), ", ");
    std::optional<LayerFormat> &place = entry.contains(':') ? parts[found - partNames] : all;
    if (place)
      return "'" + text.str() + "' gives two precisions for " +
             (entry.contains(':') ? part.str() + " layers" : std::string("the model"));
    place = format;
  }
  for (size_t part = 0; part < parts.size(); ++part) {
    choice.areNamed[part] = parts[part].has_value();
    choice.formats[part] = parts[part].value_or(all.value_or(LayerFormat::F32));
  }
  LayerFormat &tables = choice.formats[size_t(ModelPart::Embedding)];
  if (parts[size_t(ModelPart::Embedding)] == LayerFormat::BF16)
    return "'" + text.str() + "': embedding tables can be stored only in int8 or f32";
  tables = ofTables(tables);
  LayerFormat &attention = choice.formats[size_t(ModelPart::Attention)];
  if (parts[size_t(ModelPart::Attention)] && attention != ofAttention(attention))
    return "'" + text.str() + "': attention can be computed only in bf16 or f32";
  attention = ofAttention(attention);
  return "";
}
