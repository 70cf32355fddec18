//===- WeightNotes.h - prefixes of tensor names -----------------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_WEIGHTNOTES_H
#define HEDDLE_DIALECT_WEIGHTNOTES_H

#include "Notes.h"

namespace heddle::notes {

/// An annotation of a module: one prefix for each file in the list heddle.weight_files, in the same order. The
/// operation heddle.weight names a tensor by the prefix of its file followed by the tensor's name in the file, so
/// several files may contain tensors of the same name. Without the annotation all prefixes are empty.
inline constexpr OpNote<Strings> weightPrefixes{"heddle.weight_prefixes", NotePlace::Module, true, "a list of strings"};

} // namespace heddle::notes

#endif // HEDDLE_DIALECT_WEIGHTNOTES_H
