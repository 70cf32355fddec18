//===- AttentionTileBlock.h - blocks of attention by tiles ------*- C++ -*-===//

#ifndef HEDDLE_LOWERING_TILES_ATTENTIONTILEBLOCK_H
#define HEDDLE_LOWERING_TILES_ATTENTIONTILEBLOCK_H

#include "Heddle.h"

namespace heddle {

/// The numbers of queries and keys that a workgroup multiplies at a time, and how they are distributed.
struct AttentionTileBlock {
  int64_t queries; // the number of queries of a workgroup
  int64_t keys;    // the number of keys in one step
  int64_t warps;   // the number of warps, each of which has equally many queries
  int64_t stages;  // the number of buffers of the tiles of keys and of values in workgroup memory (notes::stages)
  // Whether copies of keys and values convert elements. With several stages, elements that are being copied then occupy
  // registers.
  bool converts = false;

  /// The maximum numbers of threads of a workgroup and of bytes of its tiles in workgroup memory, and the number of
  /// workgroups that fill a device.
  struct Limits {
    int64_t threads, bytes, blocks;
  };
  /// Makes the block smaller until it fits:
  /// 1. fewer warps until there are at most `limits.threads` threads;
  /// 2. fewer queries until the block is less than twice as large as `queries`;
  /// 3. fewer queries, and then fewer keys or one stage, until the registers of the lanes suffice;
  /// 4. fewer queries, but not less than 64, until the tiles take at most `limits.bytes`; if that does not suffice,
  ///    fewer stages instead, and only then still fewer queries;
  /// 5. fewer keys or one stage if step 4 reduced the number of warps, and the registers of the remaining lanes do not
  ///    suffice;
  /// 6. fewer queries, but not less than 64, until there are `limits.blocks` workgroups, if the registers suffice;
  /// 7. if there are still fewer workgroups, twice as many keys, provided that they fit, that the last step needs no
  ///    more padding and that copies do not convert: so few workgroups do not share multiprocessors, and there are
  ///    fewer steps.
  /// `heads` is the number of heads of all batch entries. Returns false if the block cannot be made so small.
  bool fit(FragmentKind kind, const AttentionOp::Extents &sizes, int64_t heads, int64_t queries, const Limits &limits);
  /// Halves the number of keys until the registers of the lanes suffice. If they suffice for no number of keys, tries
  /// again with one stage. Returns false if the registers never suffice.
  bool fitKeys(FragmentKind kind, const AttentionOp::Extents &sizes);

  /// Return the number of columns of the tiles of queries and keys, and the number of columns of the tile of values:
  /// the sizes of a head, rounded up to whole products of the kind.
  static int64_t getDepth(FragmentKind kind, int64_t headSize);
  static int64_t getWidth(FragmentKind kind, int64_t valueSize);
  /// Returns whether weights remain in registers, because each lane has the weights that it multiplies.
  static bool keepsWeights(FragmentKind kind);
  /// Returns the number of bytes of the tiles in workgroup memory.
  int64_t countBytes(FragmentKind kind, const AttentionOp::Extents &sizes) const;
  /// Returns whether the registers of a lane suffice for its elements of tiles, and for the factors and addresses that
  /// it needs beside them.
  bool hasRegisters(FragmentKind kind, const AttentionOp::Extents &sizes) const;

private:
  bool halve(FragmentKind kind);
  bool fitBytes(FragmentKind kind, const AttentionOp::Extents &sizes, int64_t most);
  bool areKeysWhole(FragmentKind kind) const;
};

} // namespace heddle

#endif // HEDDLE_LOWERING_TILES_ATTENTIONTILEBLOCK_H
