//===- ClassNotes.h - annotation for classes of sizes -----------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_CLASSNOTES_H
#define HEDDLE_DIALECT_CLASSNOTES_H

#include "Heddle.h"

namespace heddle {

/// Builds the description of a part of a stored tensor, for the lists in `mergedWeights` below: the name of the tensor,
/// followed by the slice steps of `recipe` before any concat step.
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

/// The weights that heddle-merge-projections may merge. All classes of sizes (subranges with separate code) share one
/// weight table, and the class that is lowered first determines its layout. In this class, the annotation is a list of
/// one unit attribute, and all weights may be merged. In all other classes, the annotation contains a list for each
/// weight of the first class: the parts of stored tensors (see storedPart) of which the weight consists. There,
/// heddle-merge-projections merges only layers whose weights are all in the same list. Lowerings treat a module with
/// this annotation as the code for one of several classes. Set by SharedWeights.cpp. Without the annotation, classes
/// could merge different layers, and a weight would be needed in two forms, which is an error.
inline constexpr OpNote<mlir::ArrayAttr> mergedWeights{"heddle.merged_weights", NotePlace::Module};

} // namespace notes

} // namespace heddle

#endif // HEDDLE_DIALECT_CLASSNOTES_H
