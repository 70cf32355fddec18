//===- ClassNotes.h - the note of code for a class of sizes -----*- C++ -*-===//

#ifndef HEDDLE_DIALECT_CLASSNOTES_H
#define HEDDLE_DIALECT_CLASSNOTES_H

#include "Notes.h"

namespace heddle::notes {

/// Where code is made for several classes of sizes, which share weights: list by list, the names of those that the class
/// which decides has side by side in one weight; on that class, one unit attribute. By whoever lowers classes, for
/// heddle-merge-projections, which merges no others, and for lowerings of few rows. Without it weights are stored twice,
/// which is an error.
inline constexpr OpNote<mlir::ArrayAttr> mergedWeights{"heddle.merged_weights", NotePlace::Module};

} // namespace heddle::notes

#endif // HEDDLE_DIALECT_CLASSNOTES_H
