//===- Lines.h - lines and tables of text reports ---------------*- C++ -*-===//

#ifndef HEDDLE_BENCH_LINES_H
#define HEDDLE_BENCH_LINES_H

#include "Columns.h"
#include "Report.h"

namespace heddle::bench {

/// The conditions of the measurement: "2 threads, AVX-512, ...".
std::string conditionsLine(const Report &report, const Table &table);
/// The measured roofs of the machine.
std::string roofLine(const Table &table);
/// The operations and bytes of a call, and the roof that limits it.
std::string workLine(const Table &table);
/// The lines above a table: all of the above, and the time that the table took.
std::vector<std::string> headLines(const Report &report, const Table &table);
/// Describes the bandwidth that limits the work: for data of its size, or of memory if caches are cold.
const char *bandwidthKind(const Table &table);
/// The rows that were timed; the default is marked.
Columns resultColumns(const Table &table);
/// Says which candidate was fastest, and by how much; empty if there is nothing to compare.
std::string verdictLine(const Table &table);
/// For each model that was timed at several sizes of a range, says which candidate has the smallest sum of relative
/// times.
std::vector<std::string> overallLines(const Report &report);
/// A remark about a strategy.
struct Remark {
  std::string strategy, text;
  bool bad = false; // it was to be timed, but could not be
};
/// Remarks about rows that were not timed or are not trusted, and about ineligible strategies.
std::vector<Remark> remarks(const Report &report, const Table &table);
/// The profile: a row for each kernel, their sum, and the remaining time.
Columns profileColumns(const Table &table);
/// Counts of launches: for each candidate a row for each device kernel, and one for the sum.
Columns countColumns(const Table &table);
/// The kind of roof that rows are compared with, "compute" or "memory".
const char *limitName(const Table &table);

} // namespace heddle::bench

#endif // HEDDLE_BENCH_LINES_H
