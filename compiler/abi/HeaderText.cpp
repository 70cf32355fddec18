//===- HeaderText.cpp - comments and types of a header --------------------===//

#include "HeaderText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace heddle;

StringRef heddle::getCType(heddle_type type) {
  switch (type) {
  case HEDDLE_F32:
    return "float";
  case HEDDLE_F64:
    return "double";
  case HEDDLE_F16:
  case HEDDLE_BF16:
    return "uint16_t";
  case HEDDLE_I64:
    return "int64_t";
  case HEDDLE_I32:
    return "int32_t";
  case HEDDLE_I8:
    return "int8_t";
  case HEDDLE_BOOL:
    return "uint8_t";
  }
  return "void";
}

std::string heddle::commentText(StringRef text) {
  std::string safe;
  for (char c : llvm::json::fixUTF8(text)) { // file names may contain any bytes; compilers warn of invalid UTF-8
    if (!safe.empty() && ((safe.back() == '*' && c == '/') || (safe.back() == '/' && c == '*')))
      safe += ' ';
    safe += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return safe;
}

void heddle::writeComment(raw_ostream &os, StringRef text) {
  constexpr size_t width = 117; // the end of the comment needs three more columns
  std::string line = "/*";
  for (StringRef word : llvm::split(text, ' ')) {
    if (line.size() + 1 + word.size() > width) {
      os << line << "\n";
      line = " *";
    }
    line += " " + word.str();
  }
  os << line << " */\n";
}

std::string heddle::formatShape(const InterfaceTensor &tensor) {
  std::vector<std::string> extents;
  for (auto [extent, dim] : llvm::zip(tensor.shape, tensor.dims))
    extents.push_back(dim.empty() ? std::to_string(extent) : dim);
  return "[" + llvm::join(extents, ", ") + "]";
}
