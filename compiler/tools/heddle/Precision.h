//===- Precision.h - layers' weights in fewer bits --------------*- C++ -*-===//

#ifndef HEDDLE_TOOLS_PRECISION_H
#define HEDDLE_TOOLS_PRECISION_H

#include "heddle/Import.h"

namespace heddle {

/// Stores weights of f32 that do nothing but multiply, as those of layers, as f16 or bf16, and tables that are looked up
/// where they are tied to one: then the model is that with the rounded weights, of whatever sizes it is imported.
void storeLayerWeights(Model &model, llvm::StringRef precision);

} // namespace heddle

#endif // HEDDLE_TOOLS_PRECISION_H
