//===- JsonRuns.cpp - runs in the layout of Google Benchmark --------------===//

#include "JsonRuns.h"

#include "Figures.h"

#include <cmath>

namespace json = llvm::json;
using namespace heddle::bench;
using Run = benchmark::BenchmarkReporter::Run;

/// Makes a run without times. `family` is the "family_index" of all runs of the candidate.
static Run makeRun(const Table &table, const Row &row, int64_t family) {
  Run run;
  run.run_name.function_name = table.name() + "/" + row.strategy;
  run.family_index = family;
  run.per_family_instance_index = 0;
  run.repetitions = int64_t(row.repetitions.size());
  run.threads = int64_t(table.callers);
  // The script compare.py of Google Benchmark prints times as whole numbers, so the unit must be small.
  run.time_unit = benchmark::kNanosecond;
  run.statistics = nullptr;
  run.repetition_index = Run::no_repetition_index;
  run.report_label = row.isDefault ? "default" : row.choice;
  return run;
}

/// Adds a number. A number that is not finite is left out, because JSON cannot represent it.
static void addCounter(Run &run, const std::string &name, double value) {
  if (std::isfinite(value))
    run.counters[name] = value;
}

/// Sets the times of a run. `real` and `cpu` are seconds of all its iterations together. Adds rates if the numbers of
/// the run are times, and not ratios such as the coefficient of variation (Run::aggregate_unit).
static void setTime(Run &run, const Table &table, double real, double cpu) {
  run.real_accumulated_time = real;
  run.cpu_accumulated_time = cpu;
  double seconds = real / double(std::max<int64_t>(1, run.iterations));
  if (seconds > 0 && run.aggregate_unit == benchmark::kTime) {
    addCounter(run, "flops_per_second", table.work.flops / seconds);
    addCounter(run, "bytes_per_second", table.work.bytes() / seconds);
    addCounter(run, "share_of_roof", table.limit.seconds / seconds);
  }
}

/// Adds runs with statistics over the repetitions of a candidate, under the names that Google Benchmark uses.
static void addAggregates(std::vector<Run> &runs, const Table &table, const Row &row, int64_t family) {
  std::vector<double> real, cpu;
  for (const Repetition &repetition : row.repetitions) {
    real.push_back(repetition.realSeconds);
    cpu.push_back(repetition.cpuSeconds);
  }
  auto mean = [](const std::vector<double> &values) {
    double sum = 0;
    for (double value : values)
      sum += value;
    return sum / double(values.size());
  };
  auto deviation = [&](const std::vector<double> &values) {
    double sum = 0, center = mean(values);
    for (double value : values)
      sum += (value - center) * (value - center);
    return values.size() > 1 ? std::sqrt(sum / double(values.size() - 1)) : 0.0;
  };
  auto add = [&](const char *name, double realValue, double cpuValue, bool ratio = false) {
    Run run = makeRun(table, row, family);
    run.run_type = Run::RT_Aggregate;
    run.aggregate_name = name;
    run.aggregate_unit = ratio ? benchmark::kPercentage : benchmark::kTime;
    run.iterations = 1;
    if (llvm::StringRef(name) == "mean" || llvm::StringRef(name) == "median")
      setTime(run, table, realValue, cpuValue);
    else
      run.real_accumulated_time = realValue, run.cpu_accumulated_time = cpuValue;
    runs.push_back(std::move(run));
  };
  add("mean", mean(real), mean(cpu));
  add("median", quantile(real, 0.5), quantile(cpu, 0.5));
  add("stddev", deviation(real), deviation(cpu));
  add("cv", mean(real) > 0 ? deviation(real) / mean(real) : 0, mean(cpu) > 0 ? deviation(cpu) / mean(cpu) : 0, true);
}

/// Makes the runs of a candidate: a run for each repetition and the aggregates, or one run with an error.
static std::vector<Run> makeRuns(const Table &table, const Row &row, int64_t family) {
  std::vector<Run> runs;
  const Row *base = table.defaultRow();
  if (!row.problem.empty()) {
    runs.push_back(makeRun(table, row, family));
    runs.back().repetition_index = 0;
    runs.back().repetitions = 1;
    runs.back().error_occurred = true;
    runs.back().error_message = row.problem;
    return runs;
  }
  for (auto [i, repetition] : llvm::enumerate(row.repetitions)) {
    Run run = makeRun(table, row, family);
    run.repetition_index = int64_t(i);
    run.iterations = repetition.iterations;
    setTime(run, table, repetition.realSeconds * double(repetition.iterations),
            repetition.cpuSeconds * double(repetition.iterations));
    for (const auto &[name, value] : figuresOf(table, row))
      addCounter(run, name, value);
    if (base && i < base->rounds.seconds.size())
      addCounter(run, "ratio_in_round", base->rounds.seconds[i] / row.rounds.seconds[i]);
    if (table.coldBytes)
      addCounter(run, "cold_bytes", double(table.coldBytes));
    runs.push_back(std::move(run));
  }
  if (!runs.empty())
    addAggregates(runs, table, row, family);
  return runs;
}

/// Makes a single run with the median time of a kernel of the default candidate in one call of the model.
static Run makeKernelRun(const Table &table, const ProfileRow &row, int64_t family) {
  Run run = makeRun(table, Row(), family);
  const KernelInfo &kernel = row.kernel;
  run.run_name.function_name = table.name() + "/profile/" + kernel.function + " " + kernel.op;
  run.report_label = kernel.strategy.empty() ? kernel.shape : kernel.strategy + ": " + kernel.shape;
  run.repetitions = 1;
  run.repetition_index = 0;
  run.iterations = 1;
  run.real_accumulated_time = run.cpu_accumulated_time = row.seconds;
  for (const auto &[name, value] : figuresOf(table, row))
    addCounter(run, name, value);
  return run;
}

JsonRuns::JsonRuns() {
  reporter.SetOutputStream(&stream);
  reporter.SetErrorStream(&stream);
  reporter.ReportContext(benchmark::BenchmarkReporter::Context());
}

int64_t JsonRuns::add(const Table &table, const Row &row) {
  reporter.ReportRuns(makeRuns(table, row, families));
  return families++;
}

int64_t JsonRuns::add(const Table &table, const ProfileRow &row) {
  reporter.ReportRuns({makeKernelRun(table, row, families)});
  return families++;
}

json::Object JsonRuns::finish() {
  reporter.Finalize();
  // The reporter escapes neither bytes that are not UTF-8 nor all control characters. The name of a file may contain
  // such bytes and characters.
  std::string text = json::fixUTF8(stream.str());
  for (char &c : text)
    if (static_cast<unsigned char>(c) < ' ' && c != '\n')
      c = ' ';
  return std::move(*llvm::cantFail(json::parse(text)).getAsObject());
}
