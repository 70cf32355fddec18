//===- Shadow.h - records the last accesses to memory -----------*- C++ -*-===//

#ifndef HEDDLE_PTX_SHADOW_H
#define HEDDLE_PTX_SHADOW_H

#include "Clock.h"

#include <array>

namespace heddle::ptx {

/// The problem with an access, if there is one.
struct Conflict {
  enum Kind : uint8_t { None, NeverWritten, RacesWrite, RacesRead, Pending };
  Kind kind = None;
  Stamp other = 0; // the stamp of the access with which this access races

  explicit operator bool() const { return kind != None; }
};

/// The kind of a memory. Global: all workgroups share it. Workgroup: each workgroup has its own memory, which has no
/// contents at its beginning.
enum class Sharing { Global, Workgroup };

constexpr Stamp atomicBit = Stamp(1) << 31;

/// Shadow memory: a record of the last accesses to each word of four bytes. Once an access is smaller than a word, each
/// record is for two bytes or for one byte.
class Shadow {
public:
  explicit Shadow(size_t bytes = 0) : cells((bytes + 3) / 4) {}

  /// Record an access and return its conflict with earlier accesses. The bytes must lie within one word or fill whole
  /// words.
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
  /// Records a write with this stamp; 0 means that nobody has written the bytes.
  void set(size_t offset, size_t bytes, Stamp stamp);
  /// Replaces all stamps: all bytes that have been written count as written by the host, before all other accesses.
  void resetToHost();

private:
  /// The last accesses to one word, or to a part of it.
  struct Cell {
    Stamp writer = 0; // includes atomicBit if this was an atomic operation
    /// The stamps of the first read in this launch, of the last read, and of the read before it. The stamps of the last
    /// two reads differ. Three reads suffice to detect that a later write races: even if the lane that writes made one
    /// of them, another lane made another of them.
    Stamp firstReader = 0, reader = 0, earlierReader = 0;

    template <Sharing sharing> Conflict read(const Clock &clock, unsigned lane);
    template <Sharing sharing> Conflict write(const Clock &clock, unsigned lane);
    template <Sharing sharing> Conflict update(const Clock &clock, unsigned lane);

  private:
    template <Sharing sharing> bool isWritten(const Clock &clock) const {
      return sharing == Sharing::Workgroup ? clock.isOfThisGroup(writer & ~atomicBit) : writer;
    }
    void noteRead(const Clock &clock, unsigned lane);
    template <Sharing sharing> Conflict findWriter(const Clock &clock, unsigned lane) const;
    template <Sharing sharing> Conflict findReader(const Clock &clock, unsigned lane) const;
  };

  template <typename Visit> Conflict visit(size_t offset, size_t bytes, Visit visit) {
    if (bytes < (1u << shift))
      refine(bytes);
    for (size_t i = offset >> shift, end = (offset + bytes - 1) >> shift; i <= end; ++i)
      if (Conflict conflict = visit(cells[i]))
        return conflict;
    return {};
  }
  /// Splits the cells, so that an access of `bytes` bytes fits.
  void refine(size_t bytes);

  unsigned shift = 2;
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
  bool usual = sharing == Sharing::Workgroup ? writer >= clock.groupBegin() && writer < clock.epochBegin()
                                             : writer && writer < clock.launchBegin();
  if (!usual) {
    if (!isWritten<sharing>(clock)) {
      noteRead(clock, lane); // a lane that writes later races with this read
      return {Conflict::NeverWritten};
    }
    if (Conflict conflict = findWriter<sharing>(clock, lane))
      return conflict;
  }
  noteRead(clock, lane);
  return {};
}

template <Sharing sharing> Conflict Shadow::Cell::write(const Clock &clock, unsigned lane) {
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
