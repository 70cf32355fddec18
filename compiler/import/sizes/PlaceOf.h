//===- PlaceOf.h - locations of operations in a file ------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_SIZES_PLACEOF_H
#define HEDDLE_IMPORT_SIZES_PLACEOF_H

#include "mlir/IR/Operation.h"

namespace heddle {

/// Returns the name of the operation and, if it is known, the line in the file, such as "line 7: 'tensor.pad'". The
/// text is used in errors that are not diagnostics of the operation.
std::string placeOf(mlir::Operation *op);

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_PLACEOF_H
