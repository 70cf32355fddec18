//===- Figures.h - the numbers of a report by name --------------*- C++ -*-===//

#ifndef HEDDLE_BENCH_FIGURES_H
#define HEDDLE_BENCH_FIGURES_H

#include "Report.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <vector>

namespace heddle::bench {

/// A number under its name in JSON. Times are in seconds, rates per second, shares from 0 to 1.
struct Figure {
  llvm::StringRef name;
  double value;
};
using Figures = std::vector<Figure>;

/// The figures of a candidate that was timed. Those of one call have names that begin with "call_".
Figures figuresOf(const Table &table, const Row &row);

/// The figures of a kernel of a profile.
Figures figuresOf(const Table &table, const ProfileRow &row);

/// The value of a figure; nothing if there is none of this name.
std::optional<double> figureNamed(const Figures &figures, llvm::StringRef name);

} // namespace heddle::bench

#endif // HEDDLE_BENCH_FIGURES_H
