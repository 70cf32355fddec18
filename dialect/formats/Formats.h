//===- Formats.h - looks up formats -----------------------------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_FORMATS_FORMATS_H
#define HEDDLE_DIALECT_FORMATS_FORMATS_H

#include "Heddle.h"

namespace heddle {

/// Returns the format whose attribute has the name `name`, in upper or lower case; null if there is none.
Format findFormat(mlir::MLIRContext *context, llvm::StringRef name);

} // namespace heddle

#endif // HEDDLE_DIALECT_FORMATS_FORMATS_H
