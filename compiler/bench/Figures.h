//===- Figures.h - the numbers of a report by name --------------*- C++ -*-===//

#ifndef HEDDLE_BENCH_FIGURES_H
#define HEDDLE_BENCH_FIGURES_H

#include "Report.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <vector>

namespace heddle::bench {

/// A number with its name in JSON. Times are in seconds, rates are per second, and shares are from 0 to 1.
struct Figure {
  llvm::StringRef name;
  double value;
};
using Figures = std::vector<Figure>;

/// Returns the figures of a candidate that was timed. The names of figures of one call begin with "call_".
Figures figuresOf(const Table &table, const Row &row);

/// Returns the figures of a kernel of a profile.
Figures figuresOf(const Table &table, const ProfileRow &row);

/// Returns the value of a figure, or nothing if no figure has this name.
std::optional<double> figureNamed(const Figures &figures, llvm::StringRef name);

} // namespace heddle::bench

#endif // HEDDLE_BENCH_FIGURES_H
