//===- ClassNotes.h - the note of code for a class of sizes -----*- C++ -*-===//

#ifndef HEDDLE_DIALECT_CLASSNOTES_H
#define HEDDLE_DIALECT_CLASSNOTES_H

#include "Heddle.h"

namespace heddle {

/// A stored tensor in a list of such: its name and, where the recipe takes a part of it, these steps.
inline mlir::Attribute storedPart(mlir::StringAttr name, mlir::ArrayAttr recipe) {
  llvm::SmallVector<mlir::Attribute> part = {name};
  for (mlir::Attribute step : recipe) {
    if (llvm::isa<ConcatStepAttr>(step))
      break; // of the tensor before it
    if (llvm::isa<SliceStepAttr>(step))
      part.push_back(step);
  }
  return mlir::ArrayAttr::get(name.getContext(), part);
}

namespace notes {

/// Where code is made for several classes of sizes, which share weights: list by list, the parts of tensors (storedPart)
/// that the class which decides has side by side in one weight; on that class, one unit attribute. By whoever lowers classes, for
/// heddle-merge-projections, which merges no others, and for lowerings of few rows. Without it weights are stored twice,
/// which is an error.
inline constexpr OpNote<mlir::ArrayAttr> mergedWeights{"heddle.merged_weights", NotePlace::Module};

} // namespace notes

} // namespace heddle

#endif // HEDDLE_DIALECT_CLASSNOTES_H
