//===- Shadow.h - who wrote and read memory last ----------------*- C++ -*-===//

#ifndef HEDDLE_PTX_SHADOW_H
#define HEDDLE_PTX_SHADOW_H

#include "Clock.h"

#include <array>

namespace heddle::ptx {

/// What is wrong with an access.
struct Conflict {
  enum Kind : uint8_t { None, NeverWritten, RacesWrite, RacesRead, Pending };
  Kind kind = None;
  Stamp other = 0; // of a race

  explicit operator bool() const { return kind != None; }
};

/// Memory that workgroups share, or that each has for itself and begins without contents.
enum class Sharing { Global, Workgroup };

constexpr Stamp atomicBit = Stamp(1) << 31;

/// The last accesses to a piece of memory. Counts in words of four bytes, until what is accessed is smaller.
class Shadow {
public:
  explicit Shadow(size_t bytes = 0) : cells((bytes + 3) / 4) {}

  /// Notes an access and returns what it is in conflict with. The bytes lie within one word or are whole words.
  template <Sharing sharing> Conflict read(const Clock &clock, size_t offset, unsigned bytes, unsigned lane) {
    return visit(offset, bytes, [&](Cell &cell) { return cell.read<sharing>(clock, lane); });
  }
  template <Sharing sharing> Conflict write(const Clock &clock, size_t offset, unsigned bytes, unsigned lane) {
    return visit(offset, bytes, [&](Cell &cell) { return cell.write<sharing>(clock, lane); });
  }
  /// Reads and writes in one step, which races with no other such.
  template <Sharing sharing> Conflict update(const Clock &clock, size_t offset, unsigned bytes, unsigned lane) {
    return visit(offset, bytes, [&](Cell &cell) { return cell.update<sharing>(clock, lane); });
  }
  /// An async copy will write: nobody may access these bytes before `set` says that it has.
  void setPending(size_t offset, unsigned bytes) { set(offset, bytes, pendingStamp); }
  /// Written, by whoever has this stamp.
  void set(size_t offset, size_t bytes, Stamp stamp);
  /// All that was written was by the host, before all others.
  void settle();

private:
  /// Of one word, or less.
  struct Cell {
    Stamp writer = 0; // with atomicBit where it was an update
    /// The first of this launch, the last, and the last before it of another segment or lane: whoever writes is not
    /// all of them.
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
  /// Counts in smaller units.
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
      noteRead(clock, lane); // whoever writes there now races
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
