//===- Sweep.h - expansion of lists of sizes --------------------*- C++ -*-===//

#ifndef HEDDLE_BENCH_SWEEP_H
#define HEDDLE_BENCH_SWEEP_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace heddle::bench {

/// Expands "attention s=128,512 d=64" to one operation for each size, in the order of the list. If several knobs have
/// lists, returns all combinations. The value of the knob `window` is a pair, so its comma does not separate values of
/// a list. A list of ranges ("m=1,2..512") is not expanded, because it describes classes of sizes of one library.
std::vector<std::string> expandSweep(llvm::StringRef operation);

} // namespace heddle::bench

#endif // HEDDLE_BENCH_SWEEP_H
