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
      break; // the following steps apply to the concatenation
    if (llvm::isa<SliceStepAttr>(step))
      part.push_back(step);
  }
  return mlir::ArrayAttr::get(name.getContext(), part);
}

namespace notes {

/// For each merged weight, a list of the parts of stored tensors (storedPart) that lie side by side in it. The code for
/// all classes of sizes shares one weight table. In the class that determines the layout of this table, the annotation
/// is a list of one unit attribute. In each other class, it contains these lists, and heddle-merge-projections merges
/// only layers whose weights are in one of them. A lowering treats a module with this annotation as the code for one of
/// several classes. Set by SharedWeights.cpp. Without it weights would be stored twice, which is an error.
inline constexpr OpNote<mlir::ArrayAttr> mergedWeights{"heddle.merged_weights", NotePlace::Module};

} // namespace notes

} // namespace heddle

#endif // HEDDLE_DIALECT_CLASSNOTES_H
