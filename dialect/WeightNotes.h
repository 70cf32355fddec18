//===- WeightNotes.h - prefixes of tensor names -----------------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_WEIGHTNOTES_H
#define HEDDLE_DIALECT_WEIGHTNOTES_H

#include "Notes.h"

namespace heddle::notes {

/// A prefix for each file of heddle.weight_files. heddle.weight names a tensor by its file's prefix followed by the
/// tensor's name in the file, so that several files may contain tensors of the same name. Without this annotation all
/// prefixes are empty.
inline constexpr OpNote<Strings> weightPrefixes{"heddle.weight_prefixes", NotePlace::Module, true, "a list of texts"};

} // namespace heddle::notes

#endif // HEDDLE_DIALECT_WEIGHTNOTES_H
