//===- ClassNotes.h - annotation for size classes ---------------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_CLASSNOTES_H
#define HEDDLE_DIALECT_CLASSNOTES_H

#include "Heddle.h"

namespace heddle {

/// Builds an element of `mergedWeights`: the name of a stored tensor, followed by the slice steps of the recipe that
/// reads it.
inline mlir::Attribute storedPart(mlir::StringAttr name, mlir::ArrayAttr recipe) {
  llvm::SmallVector<mlir::Attribute> part = {name};
  for (mlir::Attribute step : recipe) {
    if (llvm::isa<ConcatStepAttr>(step))
      break; // the steps behind it apply to the concatenation
    if (llvm::isa<SliceStepAttr>(step))
      part.push_back(step);
  }
  return mlir::ArrayAttr::get(name.getContext(), part);
}

namespace notes {

/// The parts of stored tensors (storedPart) that lie side by side in one weight, a list for each merged weight. Code
/// for several classes of sizes shares its weights: the class that determines the layout has a single unit attribute,
/// the other classes have the lists. SharedWeights.cpp sets it for heddle-merge-projections, which then merges no other
/// layers, and for lowerings of few rows. Without it weights would be stored twice, which is an error.
inline constexpr OpNote<mlir::ArrayAttr> mergedWeights{"heddle.merged_weights", NotePlace::Module};

} // namespace notes

} // namespace heddle

#endif // HEDDLE_DIALECT_CLASSNOTES_H
