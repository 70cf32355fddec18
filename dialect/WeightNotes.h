//===- WeightNotes.h - how tensors of files are named -----------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_WEIGHTNOTES_H
#define HEDDLE_DIALECT_WEIGHTNOTES_H

#include "Notes.h"

namespace heddle::notes {

/// One text for each file of heddle.weight_files. heddle.weight names a tensor by this text followed by the tensor's
/// name in the file, so that several files may have tensors of the same name. Without the note all texts are empty.
inline constexpr OpNote<Strings> weightPrefixes{"heddle.weight_prefixes", NotePlace::Module, true, "a list of texts"};

} // namespace heddle::notes

#endif // HEDDLE_DIALECT_WEIGHTNOTES_H
