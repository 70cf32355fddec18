//===- ReadNotes.h - prefetch distance annotations --------------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_READNOTES_H
#define HEDDLE_DIALECT_READNOTES_H

#include "Notes.h"

namespace heddle::notes {

/// An annotation of a linalg op: the distance, in bytes, between an element that the op reads and the element that it
/// prefetches at the same time. It applies to the inputs that the op reads once, in memory order: the inputs that are
/// indexed by both the vectorized and the reduced dimensions. Lowerings set the annotation, vectorizers read it.
/// Without the annotation only the hardware prefetches, and its prefetching stops at the end of each page.
inline constexpr OpNote<int64_t> prefetchBytes{"heddle.prefetch_bytes", NotePlace::Linalg};

/// The cache level, 1 to 3, into which an op with the annotation `prefetchBytes` prefetches. Default: 1.
inline constexpr OpNote<int64_t> prefetchCache{"heddle.prefetch_cache", NotePlace::Linalg};

} // namespace heddle::notes

#endif // HEDDLE_DIALECT_READNOTES_H
