//===- ArenaLayout.h - the header at the start of an arena ------*- C++ -*-===//

#ifndef HEDDLE_ARENALAYOUT_H
#define HEDDLE_ARENALAYOUT_H

#include <cstdint>

namespace heddle {

/// An arena begins with a call header: the address of the executor, the number of threads that the call may use, and
/// the values of the sizes in this call: first the sizes that lie in ranges, then the derived sizes. NAME_run writes
/// the header; heddle.dispatch and heddle.size read it. arenaSizeOffset returns the offset in bytes of the size with
/// the index `number` among these sizes; callHeaderSize returns the size in bytes of a header that contains `sizes`
/// sizes.
inline constexpr int64_t arenaSizeOffset(int64_t number) { return 16 + 8 * number; }
inline constexpr int64_t callHeaderSize(int64_t sizes) { return (arenaSizeOffset(sizes) + 63) / 64 * 64; }

} // namespace heddle

#endif // HEDDLE_ARENALAYOUT_H
