//===- GgufType.cpp - the types of tensors in GGUF files ------------------===//

#include "GgufType.h"

#include "formats/Formats.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace heddle;

/// The types of ggml. The numbers that are missing belong to types that ggml has removed. If an entry contains neither
/// the length nor the size of a block, Heddle has a Format of the same name, which defines both.
static const GgufType types[] = {
    {0, "F32", 1, 4},
    {1, "F16", 1, 2},
    {2, "Q4_0"},
    {3, "Q4_1"},
    {6, "Q5_0"},
    {7, "Q5_1"},
    {8, "Q8_0"},
    {9, "Q8_1", 32, 36},
    {10, "Q2_K", 256, 84},
    {11, "Q3_K", 256, 110},
    {12, "Q4_K"},
    {13, "Q5_K"},
    {14, "Q6_K"},
    {15, "Q8_K", 256, 292},
    {16, "IQ2_XXS", 256, 66},
    {17, "IQ2_XS", 256, 74},
    {18, "IQ3_XXS", 256, 98},
    {19, "IQ1_S", 256, 50},
    {20, "IQ4_NL"},
    {21, "IQ3_S", 256, 110},
    {22, "IQ2_S", 256, 82},
    {23, "IQ4_XS", 256, 136},
    {24, "I8", 1, 1},
    {25, "I16", 1, 2},
    {26, "I32", 1, 4},
    {27, "I64", 1, 8},
    {28, "F64", 1, 8},
    {29, "IQ1_M", 256, 56},
    {30, "BF16", 1, 2},
    {34, "TQ1_0", 256, 54},
    {35, "TQ2_0", 256, 66},
    {39, "MXFP4"},
    {40, "NVFP4", 64, 36},
    {41, "Q1_0", 128, 18},
};

/// Returns the type with the properties of its format.
static GgufType withFormat(GgufType type, MLIRContext *context) {
  if (Format format = findFormat(context, type.name)) {
    type.format = format;
    type.blockLength = format.getBlockLength();
    type.blockBytes = format.getBlockBytes();
  }
  return type;
}

std::optional<GgufType> heddle::findGgufType(uint32_t number, MLIRContext *context) {
  const GgufType *found = llvm::find_if(types, [&](const GgufType &type) { return type.number == number; });
  return found == std::end(types) ? std::nullopt : std::optional(withFormat(*found, context));
}

RankedTensorType heddle::storedTypeOf(const GgufType &type, ArrayRef<int64_t> shape, MLIRContext *context) {
  if (type.name == "F32")
    return RankedTensorType::get(shape, Float32Type::get(context));
  if (type.name == "F16")
    return RankedTensorType::get(shape, Float16Type::get(context));
  if (type.name == "BF16")
    return RankedTensorType::get(shape, BFloat16Type::get(context));
  if (!type.format)
    return {};
  SmallVector<int64_t> bytes(shape);
  bytes.back() = bytes.back() / type.blockLength * type.blockBytes;
  return RankedTensorType::get(bytes, IntegerType::get(context, 8));
}

std::string heddle::supportedGgufTypes(MLIRContext *context) {
  SmallVector<StringRef> names;
  for (const GgufType &type : types)
    if (GgufType whole = withFormat(type, context); storedTypeOf(whole, whole.blockLength, context))
      names.push_back(type.name);
  return llvm::join(names, ", ");
}
