//===- Header.h - writes the C header of a compiled model -------*- C++ -*-===//

#ifndef HEDDLE_ABI_HEADER_H
#define HEDDLE_ABI_HEADER_H

#include "ModelInterface.h"

namespace heddle {

/// Facts that the first comment of a header mentions.
struct HeaderNotes {
  std::string commandLine;           // the command that wrote the library; "" if it is not to be mentioned
  uint64_t codeSize = 0;             // in bytes
  std::vector<std::string> measured; // lines about the measured errors of the library (--passport)
};

/// Returns the text of NAME.h for C99 and C++. The header includes no other header of Heddle.
std::string makeHeader(const ModelInterface &interface, const HeaderNotes &notes);

} // namespace heddle

#endif // HEDDLE_ABI_HEADER_H
