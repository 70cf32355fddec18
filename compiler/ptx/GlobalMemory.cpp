//===- GlobalMemory.cpp - memory that all workgroups share ----------------===//

#include "GlobalMemory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace heddle::ptx;

void Memory::Free::operator()(char *bytes) const { std::free(bytes); }

std::unique_ptr<Memory> Memory::create(uint64_t size) {
  std::unique_ptr<Memory> memory(new Memory);
  uint64_t room = (size + 255) / 256 * 256;
  if (room < size)
    return nullptr;
  memory->bytes.reset(static_cast<char *>(std::aligned_alloc(256, std::max<uint64_t>(room, 256))));
  if (!memory->bytes)
    return nullptr;
  memory->total = size;
  memory->pages.resize((size + pageSize - 1) / pageSize);
  return memory;
}

Shadow &Memory::shadowOf(Page &page) {
  if (!page.shadow) {
    page.shadow = std::make_unique<Shadow>(pageSize);
    page.shadow->set(0, pageSize, page.writer);
  }
  return *page.shadow;
}

Conflict Memory::access(Use use, const Clock &clock, uint64_t offset, unsigned bytes, unsigned lane) {
  Shadow &shadow = shadowOf(pages[offset / pageSize]);
  uint64_t within = offset % pageSize; // An access is aligned, so it does not cross pages.
  switch (use) {
  case Use::Read:
    return shadow.read<Sharing::Global>(clock, within, bytes, lane);
  case Use::Write:
    return shadow.write<Sharing::Global>(clock, within, bytes, lane);
  case Use::Update:
    return shadow.update<Sharing::Global>(clock, within, bytes, lane);
  }
  return {};
}

void Memory::noteHostWrite(uint64_t offset, uint64_t size) {
  for (uint64_t end = offset + size; offset < end;) {
    Page &page = pages[offset / pageSize];
    uint64_t within = offset % pageSize, length = std::min(end - offset, pageSize - within);
    if (length == pageSize || offset + length == total) {
      if (!within) { // The host has written a whole page, which needs no shadow.
        page = {hostStamp, nullptr};
        offset += length;
        continue;
      }
    }
    shadowOf(page).set(within, length, hostStamp);
    offset += length;
  }
}

void Memory::resetToHost() {
  for (Page &page : pages) {
    page.writer = page.writer ? hostStamp : 0;
    if (page.shadow)
      page.shadow->resetToHost();
  }
}
