//===- Figures.h - the numbers of a report by name --------------*- C++ -*-===//

#ifndef HEDDLE_BENCH_FIGURES_H
#define HEDDLE_BENCH_FIGURES_H

#include "Report.h"
#include "ReportValues.h"

namespace heddle::bench {

/// Returns the figures of a candidate that was timed. If a figure is a time of a call, a rate of its work or its share
/// of the roof, its name begins with "call_".
Figures figuresOf(const Table &table, const Row &row);

/// Returns the figures of a kernel of a profile.
Figures figuresOf(const Table &table, const ProfileRow &row);

} // namespace heddle::bench

#endif // HEDDLE_BENCH_FIGURES_H
