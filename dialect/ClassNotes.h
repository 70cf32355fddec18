//===- ClassNotes.h - annotation for size classes ---------------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_CLASSNOTES_H
#define HEDDLE_DIALECT_CLASSNOTES_H

#include "Heddle.h"

namespace heddle {

/// Builds a part of a stored tensor, as `mergedWeights` below lists them: the name of the tensor, followed by the slice
/// steps of the recipe that reads the part.
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

/// For each weight that was merged from several, the list of its parts of stored tensors (see storedPart). The code for
/// all classes of sizes shares one weight table. In the class that determines the layout of this table, the annotation
/// is instead a list of one unit attribute. In all other classes, the annotation contains the lists of that class, and
/// heddle-merge-projections merges only layers whose weights are in one of the lists. Lowerings treat a module with
/// this annotation as the code for one of several classes. Set by SharedWeights.cpp. Without the annotation, weights
/// would be stored twice, which is an error.
inline constexpr OpNote<mlir::ArrayAttr> mergedWeights{"heddle.merged_weights", NotePlace::Module};

} // namespace notes

} // namespace heddle

#endif // HEDDLE_DIALECT_CLASSNOTES_H
