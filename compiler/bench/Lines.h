//===- Lines.h - the lines and tables of text reports -----------*- C++ -*-===//

#ifndef HEDDLE_BENCH_LINES_H
#define HEDDLE_BENCH_LINES_H

#include "Columns.h"
#include "ReportValues.h"

namespace heddle::bench {

/// Returns the conditions of the measurement, such as "2 threads, 9 rounds, inputs random, --seed 1".
std::string conditionsLine(const ReportValues &report, const TableValues &table);
/// Returns the measured roofs of the machine: its rate of multiply-adds and its bandwidth.
std::string roofLine(const TableValues &table);
/// Returns the operations and bytes of a call, and the roof that limits it.
std::string workLine(const TableValues &table);
/// Returns the lines above a table: conditions, roofs and work, and the time that the table took. If events were
/// counted and calls were not timed, returns only conditions and work.
std::vector<std::string> headLines(const ReportValues &report, const TableValues &table);
/// Returns the conditions under which the bandwidth in `workLine` was measured: "with cold caches", "for this size"
/// (loops over as many bytes as the call accesses), or, on a device, "for a launch of this size".
const char *bandwidthKind(const TableValues &table);
/// Returns a table with a row for each candidate that was timed. (A candidate is the model compiled with one choice of
/// strategies.) The name of the default candidate is followed by "(default)", unless it is "default". If calls were not
/// timed and the events of launches were counted instead (TableValues::isCounted), returns these counts of
/// instructions, barriers and memory accesses: for each candidate, a row for each device kernel and a row for their
/// sum.
Columns candidateColumns(const TableValues &table);
/// Returns the rate of a candidate in the unit of the roof that limits it, such as "115 GFLOP/s" or "42.1 GB/s".
std::string rateText(const TableValues &table, const RowValues &row);
/// Returns a line that names the fastest candidate and compares it with the default; empty if there is nothing to
/// compare, or if events were counted and calls were not timed.
std::string verdictLine(const TableValues &table);
/// Returns a line with the time of a call of the default whose tensors are on the host, so that the call copies them to
/// the device and back; empty if this time was not measured.
std::string copiesLine(const TableValues &table);
/// Returns a line for each model that was timed at several sizes of a range. At each size, a candidate's time is
/// divided by the default's time; the line names the candidate for which the sum of these ratios is the smallest. There
/// is no line if there is nothing to compare.
std::vector<std::string> overallLines(const ReportValues &report);
/// A remark about a strategy.
struct Remark {
  std::string strategy, text;
  bool bad = false; // whether the strategy should have been timed, but could not be timed
};
/// Returns remarks about rows that were not timed, had too little time for all repetitions or are not trusted, and
/// about ineligible strategies.
std::vector<Remark> remarks(const ReportValues &report, const TableValues &table);
/// Returns the profile: a row for each kernel, a row for their sum, and a row for the remaining time.
Columns profileColumns(const TableValues &table);

} // namespace heddle::bench

#endif // HEDDLE_BENCH_LINES_H
