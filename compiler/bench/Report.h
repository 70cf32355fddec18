//===- Report.h - the results of a benchmark --------------------*- C++ -*-===//
//
// JsonReport.cpp makes a JSON report from these results, and the other formats
// are made from the JSON report (ReportValues.h).
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_BENCH_REPORT_H
#define HEDDLE_BENCH_REPORT_H

#include "Candidates.h"
#include "LaunchTimers.h"
#include "Measure.h"
#include "Roofs.h"

namespace heddle::bench {

/// The result of one candidate: of the model compiled with one choice of strategies.
struct Row {
  std::string strategy; // the name of the candidate
  bool isDefault = false;
  /// The candidate as an argument of --strategy. It is empty for the candidate "default".
  std::string choice;
  /// The reason why the candidate was not timed, such as a wrong result or an error of the compiler. Empty if it was
  /// timed.
  std::string problem;
  Summary time;  // the time of one call
  Rounds rounds; // the times of rounds, for comparisons
  std::vector<Repetition> repetitions;
  double callsPerSecond = 0; // the sum over all callers
  uint64_t codeSize = 0, arenaSize = 0; // in bytes: the code, and the arena (memory of one call)
  /// The counts of each device kernel in one call; empty if calls are timed.
  std::vector<KernelCounts> counts;

  /// Sets the members that contain times.
  void setTimes(const Subject &subject);
};

/// A kernel of the default candidate, from --profile.
struct ProfileRow {
  KernelInfo kernel;
  double seconds = 0; // the time in one call of the model: the sum of the medians of the kernel's calls
};

/// The times of the kernels of the default candidate.
struct Profile {
  Profile() = default;
  /// Sorts the kernels by descending time. `times` contains the times of their calls. For `total` and `unprofiled`, see
  /// the members.
  Profile(llvm::ArrayRef<KernelInfo> kernels, const CallTimes &times, double total, double unprofiled);

  std::vector<ProfileRow> rows;
  double total = 0;      // the median time of a call with timers around its kernels, in seconds
  double unprofiled = 0; // the median time of a call without timers, in seconds
};

/// The seconds that heddle spent on a table.
struct Expense {
  double compiling = 0, verifying = 0, timing = 0;
};

/// The results for one model and one combination of sizes.
struct Table {
  std::string model; // the model as given on the command line
  std::string sizes; // the sizes in ranges, such as "m=16"; empty if there are none
  size_t threads = 1, callers = 1;
  size_t coldBytes = 0; // the bytes read before each call to make caches cold; 0 for warm caches
  std::string isa;      // the name of the roofs: "AVX-512", or the name of the device
  std::string device;   // such as "vulkan:0 (DRIVER)", if the code is for a device; else empty
  Work work;
  RoofLimit limit;       // the minimum time of a call with as many threads as the candidates use
  std::vector<Row> rows; // the default is the first
  std::vector<Ineligible> others; // the strategies that were not timed
  std::vector<Roof> roofs;        // the last element is for the number of threads that the candidates use
  std::optional<Profile> profile;
  /// The median time of a call of the default in seconds if its tensors are on the host, so that the call copies them
  /// to the device and back; set only for a device. The times of the rows are those of calls with tensors on the
  /// device.
  std::optional<double> hostTensors;
  /// Whether calls are not timed, and the instructions, barriers and memory accesses of launches are counted instead.
  /// The table then contains neither roofs nor times.
  bool isCounted = false;
  std::vector<KernelInfo> kernels; // set only if `isCounted`
  Expense expense;

  /// Returns the model and the sizes, such as "linear m=1..512 n=384 k=384 at m=16".
  std::string name() const { return model + (sizes.empty() ? "" : " at ") + sizes; }
  /// Returns the default candidate, or null if it was not timed.
  const Row *defaultRow() const;
  /// Returns the throughput of a single caller, or of all concurrent callers together.
  double callsPerSecond(const Row &row) const;
  const Roof &roof() const { return roofs.back(); }
  /// Returns the bandwidth in bytes per second that the machine reaches for this work, for all callers together.
  double bandwidth() const {
    return roof().bandwidthFor(double(callers) * work.bytesRead, double(callers) * work.bytesWritten);
  }
  /// Returns the time of the default divided by the time of the row. The row is faster if the ratio is above 1.
  Ratio ratio(const Row &row) const;
  /// Returns the reasons why the figures of the row are not trusted.
  Doubts doubts(const Row &row) const;
  /// Returns the rate of the row divided by the roof that limits the work: 1 if the row reaches the roof.
  double share(const Row &row) const;
  /// Returns whether no row has a problem.
  bool ok() const;
};

/// The results of one run of `heddle bench`.
struct Report {
  // The version of heddle, the vendor's name of the CPU, and the target of the code.
  std::string version, cpu, target;
  std::string inputs; // "random, --seed 1", or "from FILE"
  std::string commandLine;
  Timing timing;
  std::vector<Table> tables;

  /// Returns whether no row of any table has a problem.
  bool ok() const;
};

} // namespace heddle::bench

#endif // HEDDLE_BENCH_REPORT_H
