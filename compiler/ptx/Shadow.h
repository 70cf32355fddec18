//===- Shadow.h - records the last accesses to memory -----------*- C++ -*-===//

#ifndef HEDDLE_PTX_SHADOW_H
#define HEDDLE_PTX_SHADOW_H

#include "Clock.h"

#include <array>

namespace heddle::ptx {

/// The result of the check of an access. NeverWritten: a read or an atomic operation on bytes that nobody has written.
/// RacesWrite, RacesRead: a race with an earlier write or read. Pending: an async copy will write the bytes and is not
/// complete.
struct Conflict {
  enum Kind : uint8_t { None, NeverWritten, RacesWrite, RacesRead, Pending };
  Kind kind = None;
  Stamp other = 0; // in a race, the stamp of the other access

  explicit operator bool() const { return kind != None; }
};

/// The kind of a memory. Global: all workgroups share the memory. Workgroup: each workgroup has a memory of its own,
/// which is unwritten when the workgroup begins.
enum class Sharing { Global, Workgroup };

/// A flag in the stamp of a write: an atomic operation made the access.
constexpr Stamp atomicBit = Stamp(1) << 31;

/// Shadow memory: a record of the last accesses to each word of four bytes. After the first access that is smaller than
/// a word, each record is for two bytes or for one byte.
class Shadow {
public:
  explicit Shadow(size_t bytes = 0) : cells((bytes + 3) / 4) {}

  /// Record an access of a lane at the current time of the clock and return its conflict with earlier accesses. The
  /// bytes must lie within one word, or begin where a word begins. An access that is larger than a record and ends
  /// within one counts as an access to all bytes of that record.
  template <Sharing sharing> Conflict read(const Clock &clock, size_t offset, unsigned bytes, unsigned lane) {
    return visit(offset, bytes, [&](Cell &cell) { return cell.read<sharing>(clock, lane); });
  }
  template <Sharing sharing> Conflict write(const Clock &clock, size_t offset, unsigned bytes, unsigned lane) {
    return visit(offset, bytes, [&](Cell &cell) { return cell.write<sharing>(clock, lane); });
  }
  /// Records an atomic operation, which does not race with other atomic operations.
  template <Sharing sharing> Conflict update(const Clock &clock, size_t offset, unsigned bytes, unsigned lane) {
    return visit(offset, bytes, [&](Cell &cell) { return cell.update<sharing>(clock, lane); });
  }
  /// Records that an async copy will write these bytes: nobody may access them until `set` records that the copy is
  /// complete.
  void setPending(size_t offset, unsigned bytes) { set(offset, bytes, pendingStamp); }
  /// Records a write with this stamp. A stamp of 0 marks the bytes as unwritten.
  void set(size_t offset, size_t bytes, Stamp stamp);
  /// Replaces the stamps of all writes by hostStamp and removes all reads, before the clock restarts (Clock.h).
  void resetToHost();

private:
  /// The last accesses to one word, or to a part of it.
  struct Cell {
    Stamp writer = 0; // includes atomicBit if this was an atomic operation
    /// The stamps of the first read in this launch, of the last read, and of the last read with another stamp. A write
    /// races with reads of other lanes, so a single stamp would not suffice if the lane that writes also read last.
    Stamp firstReader = 0, reader = 0, earlierReader = 0;

    template <Sharing sharing> Conflict read(const Clock &clock, unsigned lane);
    template <Sharing sharing> Conflict write(const Clock &clock, unsigned lane);
    template <Sharing sharing> Conflict update(const Clock &clock, unsigned lane);

  private:
    /// Returns whether the bytes have been written; in workgroup memory, whether this workgroup has written them.
    template <Sharing sharing> bool isWritten(const Clock &clock) const {
      return sharing == Sharing::Workgroup ? clock.isOfThisGroup(writer & ~atomicBit) : writer;
    }
    void noteRead(const Clock &clock, unsigned lane);
    // Return the conflict of an access by `lane` with the last write, or with the recorded reads.
    template <Sharing sharing> Conflict findWriter(const Clock &clock, unsigned lane) const;
    template <Sharing sharing> Conflict findReader(const Clock &clock, unsigned lane) const;
  };

  /// Calls `visit` for the cell of each of these bytes, up to the first conflict, which it returns.
  template <typename Visit> Conflict visit(size_t offset, size_t bytes, Visit visit) {
    if (bytes < (1u << shift))
      refine(bytes);
    for (size_t i = offset >> shift, end = (offset + bytes - 1) >> shift; i <= end; ++i)
      if (Conflict conflict = visit(cells[i]))
        return conflict;
    return {};
  }
  /// Splits all cells into cells of two bytes, or of one byte if `bytes` is 1.
  void refine(size_t bytes);

  unsigned shift = 2; // a cell describes 2^shift bytes
  std::vector<Cell> cells;
};

inline void Shadow::Cell::noteRead(const Clock &clock, unsigned lane) {
  Stamp now = clock.stamp(lane);
  if (reader == now)
    return;
  earlierReader = reader;
  reader = now;
  if (!clock.isOfThisLaunch(firstReader))
    firstReader = now;
}

template <Sharing sharing> Conflict Shadow::Cell::findWriter(const Clock &clock, unsigned lane) const {
  if (writer == pendingStamp)
    return {Conflict::Pending, writer};
  Stamp when = writer & ~atomicBit;
  if (sharing == Sharing::Workgroup && !clock.isOfThisGroup(when))
    return {};
  return clock.races(when, lane) ? Conflict{Conflict::RacesWrite, when} : Conflict{};
}

template <Sharing sharing> Conflict Shadow::Cell::findReader(const Clock &clock, unsigned lane) const {
  for (Stamp other : {firstReader, reader, earlierReader}) {
    if (sharing == Sharing::Workgroup && !clock.isOfThisGroup(other))
      continue;
    if (clock.races(other, lane))
      return {Conflict::RacesRead, other};
  }
  return {};
}

template <Sharing sharing> Conflict Shadow::Cell::read(const Clock &clock, unsigned lane) {
  // Usually the last write is ordered before this read by a barrier or by the beginning of the launch.
  bool usual = sharing == Sharing::Workgroup ? writer >= clock.groupBegin() && writer < clock.epochBegin()
                                             : writer && writer < clock.launchBegin();
  if (!usual) {
    if (!isWritten<sharing>(clock)) {
      noteRead(clock, lane); // The caller may allow this read, and a later write by another lane would race with it.
      return {Conflict::NeverWritten};
    }
    if (Conflict conflict = findWriter<sharing>(clock, lane))
      return conflict;
  }
  noteRead(clock, lane);
  return {};
}

template <Sharing sharing> Conflict Shadow::Cell::write(const Clock &clock, unsigned lane) {
  // A barrier or the beginning of the launch orders accesses with stamps below `quiet` before this write.
  Stamp quiet = sharing == Sharing::Workgroup ? clock.epochBegin() : clock.launchBegin();
  if (writer >= quiet || reader >= quiet) {
    if (Conflict conflict = findWriter<sharing>(clock, lane))
      return conflict;
    if (Conflict conflict = findReader<sharing>(clock, lane))
      return conflict;
  }
  writer = clock.stamp(lane);
  return {};
}

template <Sharing sharing> Conflict Shadow::Cell::update(const Clock &clock, unsigned lane) {
  if (!isWritten<sharing>(clock))
    return {Conflict::NeverWritten};
  if (!(writer & atomicBit) || writer == pendingStamp)
    if (Conflict conflict = findWriter<sharing>(clock, lane))
      return conflict;
  if (Conflict conflict = findReader<sharing>(clock, lane))
    return conflict;
  writer = clock.stamp(lane) | atomicBit;
  return {};
}

} // namespace heddle::ptx

#endif // HEDDLE_PTX_SHADOW_H
