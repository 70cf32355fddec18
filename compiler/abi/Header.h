//===- Header.h - the C header of a compiled model --------------*- C++ -*-===//

#ifndef HEDDLE_ABI_HEADER_H
#define HEDDLE_ABI_HEADER_H

#include "ModelInterface.h"

namespace heddle {

struct HeaderNotes {
  std::string commandLine; // "" leaves its line out
  uint64_t codeSize = 0;
  std::vector<std::string> measured; // a line each
};

/// The text of NAME.h: C99 and C++, standing alone.
std::string makeHeader(const ModelInterface &interface, const HeaderNotes &notes);

} // namespace heddle

#endif // HEDDLE_ABI_HEADER_H
