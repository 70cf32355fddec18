//===- TargetFacts.h - facts of a target for strategies ---------*- C++ -*-===//

#ifndef HEDDLE_TARGETFACTS_H
#define HEDDLE_TARGETFACTS_H

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace heddle {

/// The names of the facts; TargetFacts::limits explains each.
inline constexpr const char *limitNames[] = {
    "vector_bits", "vector_registers", "l2_kib",        "prefetch_rows", "prefetch_cache",    "past_cache", "panel_kib",
    "shared_bits", "unsigned_dots",    "dot_bits",      "bf16_dots",     "workgroup_kib",     "workgroup_threads",
    "subgroup",    "tile_kib",         "tile_stages",   "part_workgroups"};

/// The properties of a CPU or device on which strategies depend.
struct TargetFacts {
  /// The features of the CPU, as LLVM names them ("avx2", "fma", "avx512f").
  std::vector<std::string> features;
  /// Numbers that depend on the CPU or device. A strategy's knob of the same name has the fact as its default, and the
  /// defaults of other knobs may depend on facts (Strategy.h):
  ///   vector_bits       the width of a vector register in bits
  ///   vector_registers  the number of vector registers
  ///   l2_kib            the size of a core's second-level cache in KiB
  ///   prefetch_rows     the minimum number of rows with which a layer prefetches its weights
  ///   prefetch_cache    the level of the cache that weights are prefetched into, 1 being the nearest to the core
  ///   past_cache        the level of the cache that keys and values of a long past are prefetched into
  ///   panel_kib         the maximum size in KiB of a panel of a weight that is to stay in a cache while many rows are
  ///                     multiplied by the panel
  ///   shared_bits       if a library is compiled for several CPUs whose vectors differ in width but that read the same
  ///                     panels, the width of the widest vectors; else 0
  ///   workgroup_kib     on a device, the amount of workgroup memory in KiB that a kernel without tiles may use. It may
  ///                     be less than the device allows, so that several workgroups fit on a multiprocessor at a time
  ///   workgroup_threads on a device, the maximum number of threads in a workgroup
  ///   subgroup          on a device, the number of threads that execute an instruction together; 0 if it is not known
  ///                     before run time
  ///   tile_kib          on a device, the maximum size in KiB of the tiles in a workgroup's memory (#heddle.workgroup).
  ///                     It may be larger than workgroup_kib, which does not limit kernels with tiles
  ///   tile_stages       on a device, the maximum number of buffers of a tile (notes::stages); 1 if the device cannot
  ///                     copy a tile while it computes with another
  ///   part_workgroups   on a device, the maximum number of workgroups among which the contraction of a small layer is
  ///                     divided. If it is divided, a second kernel adds the sums of these workgroups. The value is 1
  ///                     (no division) on devices for which it is not known that two kernels are faster than one; the
  ///                     fact is not set if there is no maximum
  ///   unsigned_dots     1 if dot products of bytes (heddle.dot) cost no more with an unsigned left side than with a
  ///                     signed one; 0 if a signed left side is cheaper
  ///   dot_bits          the width in bits of the left side's elements in dot products (heddle.dot) whose right side
  ///                     consists of bytes: 16 if the CPU has no instruction that adds products of bytes in 32 bits
  ///                     (x86-64 without VNNI), else 8; also 8 if it is 8 for any other CPU that the library is
  ///                     compiled for. With 16, rows for weights of 4 bits may still consist of bytes
  ///   bf16_dots         1 if the CPU multiplies pairs of bf16 (heddle.dot) in one instruction
  std::map<std::string, int64_t> limits;
  /// The float types that kernels can load and store, as MLIR names them ("f32"); empty: any. Kernels compute in f32 or
  /// f64, whatever type they load.
  llvm::SmallVector<std::string> elements;
  /// On a device, the element types ("bf16") that it can multiply while it accumulates the products in f32. A linear
  /// layer may round its rows to these types.
  llvm::SmallVector<std::string> products;
  /// On a device, the element types to which attention may round the factors of its products. If there are none, the
  /// device computes attention in f32.
  llvm::SmallVector<std::string> attentionProducts;
};

} // namespace heddle

#endif // HEDDLE_TARGETFACTS_H
