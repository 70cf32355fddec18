//===- Lines.h - the lines and tables of text reports -----------*- C++ -*-===//

#ifndef HEDDLE_BENCH_LINES_H
#define HEDDLE_BENCH_LINES_H

#include "Columns.h"
#include "Report.h"

namespace heddle::bench {

/// Returns the conditions of the measurement, such as "2 threads, AVX-512, ...".
std::string conditionsLine(const Report &report, const Table &table);
/// Returns the measured roofs of the machine.
std::string roofLine(const Table &table);
/// Returns the operations and bytes of a call, and the roof that limits it.
std::string workLine(const Table &table);
/// Returns the lines above a table: conditions, roofs and work, and the time that the table took.
std::vector<std::string> headLines(const Report &report, const Table &table);
/// Returns a description of the bandwidth that limits the work: for data of its size, or of memory if caches are cold.
const char *bandwidthKind(const Table &table);
/// Returns the rows that were timed, with a mark at the default.
Columns resultColumns(const Table &table);
/// Returns a line that says which candidate is fastest, and by how much; empty if there is nothing to compare.
std::string verdictLine(const Table &table);
/// Returns a line for each model that was timed at several sizes of a range. It says which candidate has the smallest
/// sum of relative times.
std::vector<std::string> overallLines(const Report &report);
/// A remark about a strategy.
struct Remark {
  std::string strategy, text;
  bool bad = false; // whether it should have been timed, but could not be timed
};
/// Returns remarks about rows that were not timed or are not trusted, and about ineligible strategies.
std::vector<Remark> remarks(const Report &report, const Table &table);
/// Returns the profile: a row for each kernel, a row for their sum, and a row for the remaining time.
Columns profileColumns(const Table &table);
/// Returns the counts of launches: for each candidate, a row for each device kernel and a row for the sum.
Columns countColumns(const Table &table);
/// Returns the kind of roof with which rows are compared, "compute" or "memory".
const char *limitName(const Table &table);

} // namespace heddle::bench

#endif // HEDDLE_BENCH_LINES_H
