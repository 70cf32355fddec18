//===- GgufValue.cpp - a value of a GGUF file's metadata ------------------===//

#include "GgufValue.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"

using namespace heddle;
namespace endian = llvm::support::endian;

uint64_t heddle::sizeOf(GgufKind kind) {
  switch (kind) {
  case GgufKind::UInt8:
  case GgufKind::Int8:
  case GgufKind::Bool:
    return 1;
  case GgufKind::UInt16:
  case GgufKind::Int16:
    return 2;
  case GgufKind::UInt32:
  case GgufKind::Int32:
  case GgufKind::Float32:
    return 4;
  case GgufKind::UInt64:
  case GgufKind::Int64:
  case GgufKind::Float64:
    return 8;
  case GgufKind::String:
  case GgufKind::Array:
    return 0;
  }
  llvm_unreachable("not a kind of a value");
}

/// Converts one element, which begins at `at`. Advances `at` to the end of the element.
static llvm::json::Value toJsonAt(GgufKind kind, const char *&at) {
  const char *from = std::exchange(at, at + sizeOf(kind));
  switch (kind) {
  case GgufKind::UInt8:
    return int64_t(uint8_t(*from));
  case GgufKind::Int8:
    return int64_t(int8_t(*from));
  case GgufKind::UInt16:
    return int64_t(endian::read16le(from));
  case GgufKind::Int16:
    return int64_t(int16_t(endian::read16le(from)));
  case GgufKind::UInt32:
    return int64_t(endian::read32le(from));
  case GgufKind::Int32:
    return int64_t(int32_t(endian::read32le(from)));
  case GgufKind::Float32:
    return double(llvm::bit_cast<float>(endian::read32le(from)));
  case GgufKind::Bool:
    return *from != 0;
  case GgufKind::UInt64:
    return endian::read64le(from);
  case GgufKind::Int64:
    return int64_t(endian::read64le(from));
  case GgufKind::Float64:
    return llvm::bit_cast<double>(endian::read64le(from));
  case GgufKind::String: {
    uint64_t length = endian::read64le(from);
    at = from + sizeof(length) + length;
    return llvm::json::fixUTF8(llvm::StringRef(from + sizeof(length), length));
  }
  case GgufKind::Array:
    break;
  }
  llvm_unreachable("not a kind of an element");
}

std::optional<llvm::json::Value> GgufValue::toJson() const {
  if (kind == GgufKind::String)
    return llvm::json::fixUTF8(bytes);
  const char *at = bytes.data();
  if (kind != GgufKind::Array)
    return toJsonAt(kind, at);
  if (count > maxElements)
    return std::nullopt;
  llvm::json::Array elements;
  for (uint64_t i = 0; i < count; ++i)
    elements.push_back(toJsonAt(element, at));
  return llvm::json::Value(std::move(elements));
}
