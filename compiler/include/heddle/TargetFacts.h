//===- TargetFacts.h - what a target tells strategies of itself -*- C++ -*-===//

#ifndef HEDDLE_TARGETFACTS_H
#define HEDDLE_TARGETFACTS_H

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace heddle {

/// Names of the limits, which TargetFacts explains.
inline constexpr const char *limitNames[] = {
    "vector_bits", "vector_registers", "l2_kib",        "prefetch_rows", "prefetch_cache",    "past_cache", "panel_kib",
    "shared_bits", "unsigned_dots",    "dot_bits",      "bf16_dots",     "workgroup_kib",     "workgroup_threads",
    "subgroup"};

struct TargetFacts {
  /// What the CPU has, as LLVM names it ("avx2", "fma", "avx512f").
  std::vector<std::string> features;
  /// Numbers that depend on the CPU. A strategy's knob of the same name has this default instead of its own, and
  /// the defaults of others may depend on it (Strategy.h):
  ///   vector_bits       the width of a vector register
  ///   vector_registers  how many of them there are
  ///   l2_kib            the KiB of a core's second-level cache
  ///   prefetch_rows     the fewest rows with which a layer's weights are asked for ahead of their use
  ///   prefetch_cache    the cache nearest to the core that they are brought into, 1 being the first
  ///   past_cache        the cache that keys and values of a long past are brought into
  ///   panel_kib         the KiB of a weight's panel that stay in a cache while many rows go along it
  ///   shared_bits       the width of the widest vectors, where CPUs of the library that read the same panels have
  ///                     vectors of several widths; else 0
  ///   workgroup_kib     of a device, the KiB of memory that a workgroup has
  ///   workgroup_threads of a device, how many threads a workgroup has at most
  ///   subgroup          of a device, how many threads execute an instruction together; 0 where only the device knows
  ///   unsigned_dots     1 where products of bytes (heddle.dot) are cheapest, or as cheap, with an unsigned left side; 0
  ///                     where it had better be signed
  ///   dot_bits          of the numbers of rows in products with bytes: 8 where a CPU of the library multiplies bytes, or
  ///                     the architecture knows nothing better; 16 where words alone are multiplied
  ///   bf16_dots         1 where the CPU multiplies pairs of bf16 (heddle.dot) in one instruction
  std::map<std::string, int64_t> limits;
  /// The types of floats that kernels load and store, as MLIR names them ("f32"); none: any.
  llvm::SmallVector<std::string> elements;
};

} // namespace heddle

#endif // HEDDLE_TARGETFACTS_H
