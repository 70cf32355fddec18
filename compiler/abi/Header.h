//===- Header.h - writes the C header of a compiled model -------*- C++ -*-===//

#ifndef HEDDLE_ABI_HEADER_H
#define HEDDLE_ABI_HEADER_H

#include "ModelInterface.h"

namespace heddle {

struct HeaderNotes {
  std::string commandLine; // if empty, its line is left out
  uint64_t codeSize = 0;
  std::vector<std::string> measured; // one line each
};

/// The text of NAME.h for C99 and C++; it needs no other header of Heddle.
std::string makeHeader(const ModelInterface &interface, const HeaderNotes &notes);

} // namespace heddle

#endif // HEDDLE_ABI_HEADER_H
