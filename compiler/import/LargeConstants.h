//===- LargeConstants.h - large constants become weights --------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_LARGECONSTANTS_H
#define HEDDLE_IMPORT_LARGECONSTANTS_H

#include "heddle/Import.h"

namespace heddle {

/// Moves constants of more than 16384 elements into `model.weights` and replaces them by weight operations. This keeps
/// them out of the generated code. Constants whose elements are all equal remain in the module. Emits an error for a
/// constant that cannot be stored as a weight.
mlir::LogicalResult storeLargeConstants(Model &model);

} // namespace heddle

#endif // HEDDLE_IMPORT_LARGECONSTANTS_H
