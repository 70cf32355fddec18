//===- LargeConstants.h - large constants become weights --------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_LARGECONSTANTS_H
#define HEDDLE_IMPORT_LARGECONSTANTS_H

#include "heddle/Import.h"

namespace heddle {

/// Turns large constants of the module into weights of the model. Emits an error for a constant that cannot be stored
/// as a weight.
mlir::LogicalResult storeLargeConstants(Model &model);

} // namespace heddle

#endif // HEDDLE_IMPORT_LARGECONSTANTS_H
