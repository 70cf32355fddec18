//===- ReportValues.h - the values of a JSON report -------------*- C++ -*-===//
//
// The text, Markdown, CSV and HTML reports are written from these values, and
// the values are read only from the JSON report. So a saved JSON report can be
// converted to any other format.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_BENCH_REPORTVALUES_H
#define HEDDLE_BENCH_REPORTVALUES_H

#include "Statistics.h"
#include "heddle/InterpretedDevice.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heddle::bench {

/// Numbers by their names in JSON. Times are in seconds, rates are per second, and a share of 1 is 100%.
using Figures = std::map<std::string, double>;

/// Returns the value of a figure, or nothing if no figure has this name.
std::optional<double> figureNamed(const Figures &figures, llvm::StringRef name);

/// The counts of all launches of one device kernel in one call of a model.
struct CountValues {
  std::string kernel; // such as "k0_launch0"
  std::string op;     // the operation of the model's kernel; empty if it is unknown
  uint64_t launches = 0;
  LaunchCounts counts;
};

/// The measured numbers of a candidate or of a kernel. In the JSON report, they are in runs, which are the elements of
/// the array "benchmarks".
struct MeasuredValues {
  int64_t family = -1; // the value of "family_index" in the runs
  Figures figures;     // the numbers of the first run; empty if there is no run

  /// Returns a figure, or 0 if it is missing.
  double figure(llvm::StringRef name) const { return figureNamed(figures, name).value_or(0); }
};

/// A candidate: the model compiled with one choice of strategies.
struct RowValues : MeasuredValues {
  std::string strategy;
  bool isDefault = false;
  std::string problem; // the reason why the candidate was not timed; empty if it was timed
  Doubts doubts;
  std::vector<CountValues> counts; // the counts of each device kernel; empty if calls were timed
};

/// A kernel of the default candidate.
struct KernelValues : MeasuredValues {
  std::string function, op, strategy, shape; // `strategy` is empty if the kernel has none
  double flops = 0, bytes = 0;               // the work of one call of the kernel
  std::string limitedBy;                     // the roof that limits the kernel: "compute" or "memory"

  bool isLimitedByCompute() const { return limitedBy == "compute"; }
};

/// The kernels of the default candidate, in descending order of their times.
struct ProfileValues {
  double total = 0, unprofiled = 0; // median time of a call in seconds, with and without timers around its kernels
  std::vector<KernelValues> kernels;
};

/// The roofs for one number of threads.
struct RoofValues {
  size_t threads = 1;         // the number is 0 for a device
  double flops = 0;           // operations per second
  std::optional<double> copy; // bytes per second of a copy in memory, if it was measured
};

/// A strategy that is not timed, and the reason.
struct IneligibleValues {
  std::string strategy, reason;
};

/// The results for one model and one combination of sizes. See Table (Report.h) for members without a comment.
struct TableValues {
  std::string model, sizes, isa, device;
  size_t threads = 1, callers = 1, coldBytes = 0;
  bool isCounted = false;
  double flops = 0, bytes = 0;   // the work of one call
  std::string limitedBy;         // the roof that limits the work: "compute" or "memory"
  double roofSeconds = 0;        // the time of one call at this roof
  double bandwidth = 0;          // the bytes per second that the machine reaches for this work
  std::vector<RoofValues> roofs; // the last has the candidates' number of threads; empty if `isCounted`
  double compiling = 0, verifying = 0, timing = 0; // the seconds that heddle spent on the table
  std::vector<RowValues> rows;                     // the default is the first
  std::vector<IneligibleValues> others;
  std::optional<ProfileValues> profile;
  std::optional<double> hostTensors; // set only for a device; absent in older reports
  bool hasDeviceTensors = false;     // whether times are those of tensors on the device; earlier versions copied them

  /// Returns the model and the sizes, such as "linear m=1..512 n=384 k=384 at m=16".
  std::string name() const { return model + (sizes.empty() ? "" : " at ") + sizes; }
  /// Returns the default candidate, or null if it was not timed.
  const RowValues *defaultRow() const;
  bool isLimitedByCompute() const { return limitedBy == "compute"; }
};

/// The values of a report.
struct ReportValues {
  std::string version, cpu, commandLine, inputs; // as in Report (Report.h)
  size_t repetitions = 0; // the maximum number of repetitions
  std::vector<TableValues> tables;

  /// Reads a JSON report: the value that jsonReport() returns, or the value that a saved report is parsed to. On
  /// failure, the error says which part of the report is missing or wrong.
  static llvm::Expected<ReportValues> read(const llvm::json::Value &report);
};

} // namespace heddle::bench

#endif // HEDDLE_BENCH_REPORTVALUES_H
