//===- ArenaLayout.h - what an arena starts with ----------------*- C++ -*-===//

#ifndef HEDDLE_ARENALAYOUT_H
#define HEDDLE_ARENALAYOUT_H

#include <cstdint>

namespace heddle {

/// The first bytes of an arena: the executor's address and the number of
/// threads that a call may use, written by NAME_run, read by heddle.dispatch.
inline constexpr int64_t arenaFrameSize = 64;

} // namespace heddle

#endif // HEDDLE_ARENALAYOUT_H
