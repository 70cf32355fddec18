//===- ReadNotes.h - prefetch distance annotations --------------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_READNOTES_H
#define HEDDLE_DIALECT_READNOTES_H

#include "Notes.h"

namespace heddle::notes {

/// The distance, in bytes, at which an op prefetches the inputs that it reads once in memory order (the inputs that are
/// indexed by both the vectorized and the reduced dimensions). Set by lowerings, read by vectorizers. Without the
/// annotation there is only the prefetching of the hardware, which stops at the end of each page.
inline constexpr OpNote<int64_t> prefetchBytes{"heddle.prefetch_bytes", NotePlace::Linalg};

/// The cache level, 1 to 3, into which the op prefetches. Default: 1.
inline constexpr OpNote<int64_t> prefetchCache{"heddle.prefetch_cache", NotePlace::Linalg};

} // namespace heddle::notes

#endif // HEDDLE_DIALECT_READNOTES_H
