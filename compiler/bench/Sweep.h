//===- Sweep.h - a quoted operation with lists of sizes ---------*- C++ -*-===//

#ifndef HEDDLE_BENCH_SWEEP_H
#define HEDDLE_BENCH_SWEEP_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace heddle::bench {

/// "attention s=128,512 d=64" as one operation for each size, in the order of the list; lists of
/// several knobs are combined. A window is a pair already, so its comma makes no list.
std::vector<std::string> expandSweep(llvm::StringRef operation);

} // namespace heddle::bench

#endif // HEDDLE_BENCH_SWEEP_H
