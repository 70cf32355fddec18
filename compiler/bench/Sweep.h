//===- Sweep.h - expansion of lists of sizes --------------------*- C++ -*-===//

#ifndef HEDDLE_BENCH_SWEEP_H
#define HEDDLE_BENCH_SWEEP_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace heddle::bench {

/// Expands "attention s=128,512 d=64" to one operation for each size, in the order of the list. If several knobs have
/// lists, combines them. The value of the knob `window` is a pair, whose comma does not separate values of a list.
std::vector<std::string> expandSweep(llvm::StringRef operation);

} // namespace heddle::bench

#endif // HEDDLE_BENCH_SWEEP_H
