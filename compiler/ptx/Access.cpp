//===- Access.cpp - checked memory accesses of a warp ---------------------===//

#include "Access.h"

#include "Workgroup.h"

using namespace llvm;
using namespace heddle::ptx;

static const char *verbOf(Use use) { return use == Use::Read ? "reads" : use == Use::Write ? "writes" : "updates"; }

static const char *bytesWord(uint64_t bytes) { return bytes == 1 ? " byte" : " bytes"; }

/// Returns a description of an access for a message, such as "reads 4 bytes of shared memory at byte 64".
static std::string describe(Use use, unsigned bytes, const Twine &where, uint64_t offset) {
  return (verbOf(use) + Twine(" ") + Twine(bytes) + bytesWord(bytes) + " of " + where + " at byte " + Twine(offset))
      .str();
}

/// Ends the warp with an error: the access ends beyond the memory, which has `size` bytes.
static void failBounds(Warp &warp, const Instruction &instruction, unsigned lane, const std::string &access,
                       uint64_t size) {
  warp.fail(instruction, 1u << lane, access + ", outside its " + Twine(size) + bytesWord(size));
}

/// Ends the warp with an error that describes the conflict of an access with an earlier access.
static void failConflict(Warp &warp, const Instruction &instruction, unsigned lane, const std::string &access,
                         Conflict conflict, Space space, uint64_t offset) {
  const Clock &clock = warp.group.clock;
  std::string why;
  switch (conflict.kind) {
  case Conflict::None:
    return;
  case Conflict::NeverWritten:
    why = ", which has not been written";
    break;
  case Conflict::RacesWrite:
    why = ", which " + clock.describe(conflict.other) + " wrote: no barrier orders the two accesses";
    break;
  case Conflict::RacesRead:
    why = ", which " + clock.describe(conflict.other) + " read: no barrier orders the two accesses";
    break;
  case Conflict::Pending:
    why = ", the destination of an async copy that is not complete";
    if (const AsyncCopies::Copy *copy = warp.group.findCopy(offset))
      why += ": the thread that started the copy of line " + std::to_string(copy->instruction->statement->line) +
             " has not waited for the copy";
  }
  warp.fail(instruction, 1u << lane, access + why);
}

bool AccessTo::isAligned(Warp &warp, const Instruction &instruction, unsigned lane, uint64_t address) const {
  if (!(address & (bytes - 1)))
    return true;
  warp.fail(instruction, 1u << lane,
            Twine(verbOf(use)) + " " + Twine(bytes) + bytesWord(bytes) + " at an address that is not a multiple of " +
                Twine(bytes) + ": the address ends with 0x" + Twine::utohexstr(address & 0xfff));
  return false;
}

Conflict AccessTo::readElements(unsigned lane, function_ref<Conflict(uint64_t from)> read) const {
  for (unsigned i = 0; i * elementBytes < bytes; ++i) {
    Conflict conflict = read(uint64_t(i) * elementBytes);
    if (conflict.kind == Conflict::NeverWritten)
      unwritten[i] |= 1u << lane;
    else if (conflict)
      return conflict;
  }
  return {};
}

bool AccessTo::resolveShared(Warp &warp, const Instruction &instruction, Lanes lanes, const uint64_t *addresses,
                             char **places) const {
  Workgroup &group = warp.group;
  uint64_t size = group.shared.size();
  auto each = [&](auto access) {
    for (Lanes left = lanes; left; left &= left - 1) {
      unsigned lane = unsigned(__builtin_ctz(left)), length = lengthOf(lane);
      uint64_t address = addresses[lane];
      auto text = [&] { return describe(use, length, "shared memory", address); };
      if (address > size || length > size - address)
        return failBounds(warp, instruction, lane, text(), size), false;
      if (!isAligned(warp, instruction, lane, address))
        return false;
      Conflict conflict = access(address, length, lane);
      if (conflict.kind == Conflict::NeverWritten && unwritten)
        conflict = readElements(lane, [&](uint64_t from) {
          return group.sharedShadow.read<Sharing::Workgroup>(group.clock, address + from, elementBytes, lane);
        });
      if (conflict)
        return failConflict(warp, instruction, lane, text(), conflict, Space::Shared, address), false;
      places[lane] = group.shared.data() + address;
    }
    return true;
  };
  if (group.launch.counters)
    group.launch.counters->countShared(addresses, lanes, bytes);
  Shadow &shadow = group.sharedShadow;
  const Clock &clock = group.clock;
  switch (use) {
  case Use::Read:
    return each([&](auto... of) { return shadow.read<Sharing::Workgroup>(clock, of...); });
  case Use::Write:
    return each([&](auto... of) { return shadow.write<Sharing::Workgroup>(clock, of...); });
  case Use::Update:
    return each([&](auto... of) { return shadow.update<Sharing::Workgroup>(clock, of...); });
  }
  return false;
}

bool AccessTo::resolveGlobal(Warp &warp, const Instruction &instruction, Lanes lanes, const uint64_t *addresses,
                             char **places) const {
  const Launch &launch = warp.group.launch;
  if (launch.counters)
    launch.counters->countGlobal(addresses, lanes, bytes);
  for (Lanes left = lanes; left; left &= left - 1) {
    unsigned lane = unsigned(__builtin_ctz(left)), length = lengthOf(lane);
    uint64_t address = addresses[lane], slot = (address >> slotBits) - 1;
    View view = {};
    if (slot < launch.views.size())
      view = launch.views[slot];
    else if (slot == launch.views.size() && launch.constants)
      view = {launch.constants, 0, launch.constants->size()};
    uint64_t offset = address - addressOf(slot, view);
    // Each buffer has a range of 2^slotBits addresses. An address in the upper half of this range is below the next
    // buffer, and counts as an access before that buffer.
    bool isBefore = offset >> (slotBits - 1);
    if (!view.memory || isBefore || offset > view.size || length > view.size - offset) {
      // A kernel that accesses an address just below a buffer probably means this buffer. Therefore the message
      // contains this buffer's index and a negative offset.
      uint64_t next = (address + (uint64_t(1) << (slotBits - 1))) >> slotBits;
      if (!next || next > launch.views.size()) {
        warp.fail(instruction, 1u << lane,
                  Twine(verbOf(use)) + " " + Twine(length) + bytesWord(length) +
                      " at an address that is in no buffer: 0x" + Twine::utohexstr(address));
        return false;
      }
      int64_t distance = int64_t(address - addressOf(next - 1, launch.views[next - 1]));
      warp.fail(instruction, 1u << lane,
                Twine(verbOf(use)) + " " + Twine(length) + bytesWord(length) + " of buffer " + Twine(next - 1) +
                    " at byte " + Twine(distance) + ", outside its " + Twine(launch.views[next - 1].size) +
                    bytesWord(launch.views[next - 1].size));
      return false;
    }
    if (!isAligned(warp, instruction, lane, address))
      return false;
    const Clock &clock = warp.group.clock;
    Conflict conflict = view.memory->access(use, clock, view.offset + offset, length, lane);
    if (conflict.kind == Conflict::NeverWritten && unwritten && view.mayBeUnfilled)
      conflict = readElements(lane, [&](uint64_t from) {
        return view.memory->access(Use::Read, clock, view.offset + offset + from, elementBytes, lane);
      });
    if (conflict) {
      failConflict(warp, instruction, lane, describe(use, length, "buffer " + Twine(slot), offset), conflict,
                   Space::Global, offset);
      return false;
    }
    places[lane] = view.memory->at(view.offset + offset);
  }
  return true;
}

bool AccessTo::resolveLocal(Warp &warp, const Instruction &instruction, Lanes lanes, const uint64_t *addresses,
                            char **places) const {
  uint64_t size = warp.group.launch.program.localBytes;
  for (Lanes left = lanes; left; left &= left - 1) {
    unsigned lane = unsigned(__builtin_ctz(left)), length = lengthOf(lane);
    uint64_t address = addresses[lane];
    auto text = [&] { return describe(use, length, "local memory", address); };
    if (address > size || length > size - address)
      return failBounds(warp, instruction, lane, text(), size), false;
    if (!isAligned(warp, instruction, lane, address))
      return false;
    for (uint64_t i = lane * size + address, end = i + length; i < end; ++i) {
      bool isKnown = use == Use::Write || warp.localWritten[i];
      if (!isKnown && !unwritten)
        return failConflict(warp, instruction, lane, text(), {Conflict::NeverWritten}, Space::Local, address), false;
      if (isKnown)
        warp.localWritten[i] = true;
      else
        unwritten[(i - lane * size - address) / elementBytes] |= 1u << lane;
    }
    places[lane] = warp.local.data() + lane * size + address;
  }
  return true;
}

bool AccessTo::resolveGeneric(Warp &warp, const Instruction &instruction, Lanes lanes, const uint64_t *addresses,
                              char **places) const {
  uint64_t inWindow[warpSize];
  Lanes shared = 0, local = 0;
  for (Lanes left = lanes; left; left &= left - 1) {
    unsigned lane = unsigned(__builtin_ctz(left));
    uint64_t address = addresses[lane];
    if (address >> slotBits || address < sharedWindow)
      continue;
    bool isLocal = address >= localWindow;
    (isLocal ? local : shared) |= 1u << lane;
    inWindow[lane] = address - (isLocal ? localWindow : sharedWindow);
  }
  Lanes global = lanes & ~shared & ~local;
  return (!shared || resolveShared(warp, instruction, shared, inWindow, places)) &&
         (!local || resolveLocal(warp, instruction, local, inWindow, places)) &&
         (!global || resolveGlobal(warp, instruction, global, addresses, places));
}

bool AccessTo::resolve(Warp &warp, const Instruction &instruction, Lanes lanes, char **places) const {
  uint64_t addresses[warpSize];
  if (address == noRow) {
    std::fill_n(addresses, warpSize, uint64_t(offset));
  } else if (address & narrowAddress) {
    const uint32_t *narrow = warp.row<uint32_t>(address & ~narrowAddress);
    for (unsigned lane = 0; lane < warpSize; ++lane)
      addresses[lane] = uint32_t(narrow[lane] + uint32_t(offset));
  } else {
    const uint64_t *wide = warp.row<uint64_t>(address);
    for (unsigned lane = 0; lane < warpSize; ++lane)
      addresses[lane] = wide[lane] + uint64_t(offset);
  }
  switch (space) {
  case Space::Shared:
    return resolveShared(warp, instruction, lanes, addresses, places);
  case Space::Local:
    return resolveLocal(warp, instruction, lanes, addresses, places);
  case Space::Generic:
    return resolveGeneric(warp, instruction, lanes, addresses, places);
  default:
    return resolveGlobal(warp, instruction, lanes, addresses, places);
  }
}
