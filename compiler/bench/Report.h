//===- Report.h - what a bench found, and how it is printed -----*- C++ -*-===//
//
// One file per format: TextReport.cpp, MarkdownReport.cpp, CsvReport.cpp,
// JsonReport.cpp, HtmlReport.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_BENCH_REPORT_H
#define HEDDLE_BENCH_REPORT_H

#include "Candidates.h"
#include "LaunchTimers.h"
#include "Measure.h"
#include "Roofs.h"

#include "llvm/Support/raw_ostream.h"

namespace heddle::bench {

/// One candidate.
struct Row {
  std::string strategy;
  bool isDefault = false;
  /// As --strategy takes it; empty for the default of a model of several operations.
  std::string choice;
  /// Empty, or why it was not timed: a wrong result, or it does not compile.
  std::string problem;
  Summary time;                        // of one call
  Rounds rounds;                       // to compare it by
  std::vector<Repetition> repetitions;
  double callsPerSecond = 0;           // of all callers together
  uint64_t codeSize = 0, arenaSize = 0;
  /// Where launches are counted instead: what each kernel does in one call.
  std::vector<KernelCounts> counts;
};

/// A kernel inside the default candidate, from --profile.
struct ProfileRow {
  KernelInfo kernel;
  double seconds = 0; // of all its calls in one call of the model, each at its median
};

struct Profile {
  Profile() = default;
  /// The kernels in the order of their time, of which `times` has the parts.
  Profile(llvm::ArrayRef<KernelInfo> kernels, const CallTimes &times, double total, double unprofiled);

  std::vector<ProfileRow> rows;
  double total = 0;     // seconds of a call with timers, median
  double unprofiled = 0; // and without
};

/// Which figures of a row are not to be trusted, and why: empty where they are.
struct Doubts {
  std::string time, share, ratio;

  bool any() const { return !time.empty() || !share.empty() || !ratio.empty(); }
  /// "share of the roof: it changed ...; ratio: ..."
  std::string text() const;
};

/// Seconds that a table took.
struct Expense {
  double compiling = 0, judging = 0, timing = 0;
};

/// One model, one size.
struct Table {
  std::string model; // as it was asked for
  std::string sizes; // "m=16", of those that lie in ranges; empty without
  size_t threads = 1, callers = 1;
  size_t coldBytes = 0; // read before each call, so that it finds nothing in caches; 0: they are warm
  std::string isa; // of the roofs: "AVX-512", or what a device is called
  std::string device; // "vulkan:0 (its driver)", where code is for one
  Work work;
  RoofLimit limit; // for the threads that the candidates ran on
  std::vector<Row> rows; // the default first
  std::vector<Ineligible> others;
  std::vector<Roof> roofs;
  std::optional<Profile> profile;
  /// Launches are counted, not timed: there are neither roofs nor times.
  bool isCounted = false;
  std::vector<KernelInfo> kernels; // where it is
  Expense expense;

  /// "linear m=1..512 n=384 k=384 at m=16".
  std::string name() const { return model + (sizes.empty() ? "" : " at ") + sizes; }
  const Row *defaultRow() const;
  /// One after the other, or by all callers together.
  double callsPerSecond(const Row &row) const;
  const Roof &roof() const { return roofs.back(); }
  /// Bytes a second that the memory can do for this work, of all callers at once.
  double bandwidth() const {
    return roof().bandwidthFor(double(callers) * work.bytesRead, double(callers) * work.bytesWritten);
  }
  /// The default's time over that of the row: above 1, the row is faster.
  Ratio ratio(const Row &row) const;
  Doubts doubts(const Row &row) const;
  /// Share of the roof that the row reaches, 0 to 1.
  double share(const Row &row) const;
  bool ok() const;
};

struct Report {
  std::string version, cpu, target; // of heddle; the maker's name for it; what was compiled for
  std::string inputs;               // "random, --seed 1", or the file
  std::string commandLine;
  Timing timing;
  std::vector<Table> tables;

  bool ok() const;
};

void writeText(const Report &report, llvm::raw_ostream &os);
void writeMarkdown(const Report &report, llvm::raw_ostream &os);
void writeCsv(const Report &report, llvm::raw_ostream &os);
/// As Google Benchmark writes it, so that its compare.py reads it.
void writeJson(const Report &report, llvm::raw_ostream &os);
/// One page that needs nothing else.
void writeHtml(const Report &report, llvm::raw_ostream &os);

/// "1.23 ms", "45.6 GFLOP/s", "3.1 MB": three digits.
std::string timeText(double seconds);
std::string flopsText(double flopsPerSecond);
std::string operationsText(double flops);
std::string bytesText(double bytes);
/// What a row reaches, in the unit of what limits it: "115 GFLOP/s" or "42.1 GB/s".
std::string rateText(const Table &table, const Row &row);
std::string percentText(double share);
/// "1.5" with so many significant digits.
std::string digits(double value, int significant);

} // namespace heddle::bench

#endif // HEDDLE_BENCH_REPORT_H
