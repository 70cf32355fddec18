//===- Shadow.cpp - records the last accesses to memory -------------------===//

#include "Shadow.h"

using namespace heddle::ptx;

void Shadow::refine(size_t bytes) {
  unsigned finer = bytes >= 2 ? 1 : 0; // the new `shift`: cells of two bytes or of one byte
  std::vector<Cell> split(cells.size() << (shift - finer));
  for (size_t i = 0; i < split.size(); ++i)
    split[i] = cells[i >> (shift - finer)];
  cells = std::move(split);
  shift = finer;
}

void Shadow::set(size_t offset, size_t bytes, Stamp stamp) {
  if (!bytes)
    return;
  // If the bytes do not fill whole cells, smaller cells are needed.
  if ((offset | bytes) & ((size_t(1) << shift) - 1))
    refine((offset | bytes) & 1 ? 1 : 2);
  for (size_t i = offset >> shift, end = (offset + bytes - 1) >> shift; i <= end && i < cells.size(); ++i)
    cells[i].writer = stamp;
}

void Shadow::resetToHost() {
  for (Cell &cell : cells)
    cell = Cell{cell.writer ? hostStamp : 0};
}
