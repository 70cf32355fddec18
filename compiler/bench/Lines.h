//===- Lines.h - what text reports have in common ---------------*- C++ -*-===//

#ifndef HEDDLE_BENCH_LINES_H
#define HEDDLE_BENCH_LINES_H

#include "Columns.h"
#include "Report.h"

namespace heddle::bench {

/// "2 threads, AVX-512, ...".
std::string conditionsLine(const Report &report, const Table &table);
/// What was measured of the machine.
std::string roofLine(const Table &table);
/// How much there is to do, and what bounds it.
std::string workLine(const Table &table);
/// These under a table's heading, and what the table cost.
std::vector<std::string> headLines(const Report &report, const Table &table);
/// What the bandwidth is of that bounds the work: data of its size, or memory where caches are cold.
const char *bandwidthKind(const Table &table);
/// Rows that were timed; with the default marked.
Columns resultColumns(const Table &table);
/// Which was the fastest, and by how much; empty where there is nothing to compare.
std::string verdictLine(const Table &table);
/// Of each model that was timed at several sizes of a range: which was the fastest by the sum of the relative times.
std::vector<std::string> overallLines(const Report &report);
/// What else there is to say of a strategy.
struct Note {
  std::string strategy, text;
  bool bad = false; // it was to be timed, and could not be
};
/// Of rows that were not timed, or are not to be trusted, and of strategies that are not eligible.
std::vector<Note> notes(const Report &report, const Table &table);
/// From --profile: a row for each kernel, then their sum and what is beside them.
Columns profileColumns(const Table &table);
/// Where launches are counted: a row for each kernel of each candidate on the device, and one for its sum.
Columns countColumns(const Table &table);
/// "compute" or "memory": which roof a row is measured by.
const char *limitName(const Table &table);

} // namespace heddle::bench

#endif // HEDDLE_BENCH_LINES_H
