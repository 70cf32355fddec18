//===- PrintError.h - an error on stderr ------------------------*- C++ -*-===//

#ifndef HEDDLE_PRINTERROR_H
#define HEDDLE_PRINTERROR_H

#include "llvm/Support/Error.h"

namespace heddle {

/// Prints an llvm::Error to stderr, as "heddle: error: ...".
void printError(llvm::Error error);

} // namespace heddle

#endif // HEDDLE_PRINTERROR_H
