//===- JsonRuns.h - runs in the layout of Google Benchmark ------*- C++ -*-===//

#ifndef HEDDLE_BENCH_JSONRUNS_H
#define HEDDLE_BENCH_JSONRUNS_H

#include "Report.h"

#include "llvm/Support/JSON.h"

#include <benchmark/benchmark.h>

#include <sstream>

namespace heddle::bench {

/// Writes runs with the JSON reporter of Google Benchmark, so that Google's tools can read them. A run is an element of
/// the array "benchmarks": one measurement, or a statistic of several measurements.
class JsonRuns {
public:
  JsonRuns();

  /// Adds a run for each repetition of a candidate, followed by runs with mean, median, standard deviation and
  /// coefficient of variation. (A candidate is the model compiled with one choice of strategies.) A candidate that
  /// could not be timed (Row::problem) has one run with an error. A candidate has no run if its calls were not timed
  /// and its instructions and memory accesses were counted instead, as with `--profile` in the interpreter of PTX.
  /// Returns the "family_index" of these runs.
  int64_t add(const Table &table, const Row &row);
  /// Adds a run with the median time of a kernel of the default candidate. Returns its "family_index".
  int64_t add(const Table &table, const ProfileRow &row);

  /// Returns an object with "context" (a description of the machine) and "benchmarks" (the runs). No more runs can be
  /// added afterwards.
  llvm::json::Object finish();

private:
  std::ostringstream stream; // receives the text of the reporter
  benchmark::JSONReporter reporter;
  int64_t families = 0; // the next "family_index"
};

} // namespace heddle::bench

#endif // HEDDLE_BENCH_JSONRUNS_H
