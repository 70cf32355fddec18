//===- ArenaLayout.h - what an arena starts with ----------------*- C++ -*-===//

#ifndef HEDDLE_ARENALAYOUT_H
#define HEDDLE_ARENALAYOUT_H

#include <cstdint>

namespace heddle {

/// The first bytes of an arena: the executor's address, the number of threads that a call may use, and the sizes that
/// lie in ranges and their sums, written by NAME_run, read by heddle.dispatch and heddle.size.
inline constexpr int64_t arenaSizeOffset(int64_t number) { return 16 + 8 * number; }
inline constexpr int64_t arenaFrameSize(int64_t sizes) { return (arenaSizeOffset(sizes) + 63) / 64 * 64; }

} // namespace heddle

#endif // HEDDLE_ARENALAYOUT_H
