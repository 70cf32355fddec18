//===- JsonReport.cpp - benchmark results as JSON -------------------------===//
//
// The reporter of Google Benchmark writes the file, so that its tools can read
// it: a run for each repetition, followed by mean, median, standard deviation
// and coefficient of variation. All other results are counters and context.
//
//===----------------------------------------------------------------------===//

#include "Figures.h"
#include "Lines.h"

#include <benchmark/benchmark.h>

#include <cmath>
#include <sstream>

using namespace heddle::bench;
using Run = benchmark::BenchmarkReporter::Run;

static Run makeRun(const Table &table, const Row &row, int64_t family) {
  Run run;
  run.run_name.function_name = table.name() + "/" + row.strategy;
  run.family_index = family;
  run.per_family_instance_index = 0;
  run.repetitions = int64_t(row.repetitions.size());
  run.threads = int64_t(table.callers);
  run.time_unit = benchmark::kNanosecond; // because compare.py prints whole numbers
  run.statistics = nullptr;
  run.repetition_index = Run::no_repetition_index;
  run.report_label = row.isDefault ? "default" : row.choice;
  return run;
}

static void setTime(Run &run, const Table &table, double real, double cpu) {
  run.real_accumulated_time = real;
  run.cpu_accumulated_time = cpu;
  double seconds = real / double(std::max<int64_t>(1, run.iterations));
  if (seconds > 0 && run.aggregate_unit == benchmark::kTime) {
    run.counters["flops_per_second"] = table.work.flops / seconds;
    run.counters["bytes_per_second"] = table.work.bytes() / seconds;
    run.counters["share_of_roof"] = table.limit.seconds / seconds;
  }
}

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
    for (const Figure &figure : figuresOf(table, row))
      run.counters[figure.name.str()] = figure.value;
    if (base && i < base->rounds.seconds.size())
      run.counters["ratio_in_round"] = base->rounds.seconds[i] / row.rounds.seconds[i];
    if (table.coldBytes)
      run.counters["cold_bytes"] = double(table.coldBytes);
    runs.push_back(std::move(run));
  }
  addAggregates(runs, table, row, family);
  return runs;
}

/// Makes a single run with the median time of a kernel of the default candidate.
static Run makeKernelRun(const Table &table, const ProfileRow &row, int64_t family) {
  Run run = makeRun(table, Row(), family);
  const KernelInfo &kernel = row.kernel;
  run.run_name.function_name = table.name() + "/profile/" + kernel.function + " " + kernel.op;
  run.report_label = kernel.strategy.empty() ? kernel.shape : kernel.strategy + ": " + kernel.shape;
  run.repetitions = 1;
  run.repetition_index = 0;
  run.iterations = 1;
  run.real_accumulated_time = run.cpu_accumulated_time = row.seconds;
  for (const Figure &figure : figuresOf(table, row))
    run.counters[figure.name.str()] = figure.value;
  return run;
}

static void addContext(const Report &report) {
  benchmark::AddCustomContext("heddle_version", report.version);
  benchmark::AddCustomContext("heddle_command", report.commandLine);
  benchmark::AddCustomContext("cpu", report.cpu);
  for (auto [i, table] : llvm::enumerate(report.tables)) {
    std::string prefix = report.tables.size() > 1 ? table.name() + ": " : "";
    benchmark::AddCustomContext(prefix + "conditions", conditionsLine(report, table));
    benchmark::AddCustomContext(prefix + "roofs", roofLine(table));
    benchmark::AddCustomContext(prefix + "work", workLine(table));
    benchmark::AddCustomContext(prefix + "verdict", verdictLine(table));
    for (const Remark &remark : remarks(report, table))
      benchmark::AddCustomContext(prefix + remark.strategy, remark.text);
  }
  for (auto [i, line] : llvm::enumerate(overallLines(report)))
    benchmark::AddCustomContext("overall " + std::to_string(i + 1), line);
}

void heddle::bench::writeJson(const Report &report, llvm::raw_ostream &os) {
  addContext(report);
  std::ostringstream stream;
  benchmark::JSONReporter reporter;
  reporter.SetOutputStream(&stream);
  reporter.SetErrorStream(&stream);
  benchmark::BenchmarkReporter::Context context;
  reporter.ReportContext(context);
  int64_t family = 0;
  for (const Table &table : report.tables)
    for (const Row &row : table.rows)
      reporter.ReportRuns(makeRuns(table, row, family++));
  for (const Table &table : report.tables)
    if (table.profile)
      for (const ProfileRow &row : table.profile->rows)
        reporter.ReportRuns({makeKernelRun(table, row, family++)});
  reporter.Finalize();
  os << stream.str();
}
