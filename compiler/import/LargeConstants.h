//===- LargeConstants.h - tables of a module are weights --------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_LARGECONSTANTS_H
#define HEDDLE_IMPORT_LARGECONSTANTS_H

#include "heddle/Import.h"

namespace heddle {

/// Large constants become weights.
mlir::LogicalResult storeLargeConstants(Model &model);

} // namespace heddle

#endif // HEDDLE_IMPORT_LARGECONSTANTS_H
