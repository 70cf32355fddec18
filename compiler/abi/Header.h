//===- Header.h - writes the C header of a compiled model -------*- C++ -*-===//

#ifndef HEDDLE_ABI_HEADER_H
#define HEDDLE_ABI_HEADER_H

#include "ModelInterface.h"

namespace heddle {

struct HeaderNotes {
  std::string commandLine; // if it is empty, the header does not mention it
  uint64_t codeSize = 0;
  std::vector<std::string> measured; // sentences about measured errors (--passport), a line each
};

/// Returns the text of NAME.h for C99 and C++. The header includes no other header of Heddle.
std::string makeHeader(const ModelInterface &interface, const HeaderNotes &notes);

} // namespace heddle

#endif // HEDDLE_ABI_HEADER_H
