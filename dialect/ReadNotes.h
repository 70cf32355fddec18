//===- ReadNotes.h - the note of what is read through once ------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_READNOTES_H
#define HEDDLE_DIALECT_READNOTES_H

#include "Notes.h"

namespace heddle::notes {

/// What an op goes through once, rows in the order of memory, is asked for so many bytes before it is read: inputs that
/// have the lanes and what is reduced. By lowerings, for vectorisers; without it memory is waited for at the end of each
/// page.
inline constexpr OpNote<int64_t> ahead{"heddle.ahead", NotePlace::Linalg};

/// The cache that it is asked for into, 1 being the first one, as without the note.
inline constexpr OpNote<int64_t> aheadCache{"heddle.ahead_cache", NotePlace::Linalg};

} // namespace heddle::notes

#endif // HEDDLE_DIALECT_READNOTES_H
