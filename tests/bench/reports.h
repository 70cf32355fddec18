//===- reports.h - reports for the tests of formats -------------*- C++ -*-===//

#ifndef HEDDLE_TESTS_REPORTS_H
#define HEDDLE_TESTS_REPORTS_H

#include "bench/Formats.h"
#include "bench/JsonReport.h"

namespace heddle::bench {

/// Makes the result of a candidate whose calls have this median in seconds.
inline Row makeRow(const char *name, double median) {
  Row row;
  row.strategy = name;
  row.time = {median, 1.1 * median, 1.2 * median, 0.9 * median, 0.05};
  row.repetitions = {{100, median, median, 100 * median}, {100, 1.02 * median, median, 102 * median}};
  row.rounds = {{median, 1.02 * median, median, median, 1.02 * median}, 0.9 * median};
  row.callsPerSecond = 1 / median;
  return row;
}

/// Makes a report for one fixed size on a CPU: a default, a slower candidate, a candidate whose rounds differ too much,
/// a candidate with a wrong result, an ineligible strategy, and a profile with one kernel.
inline Report makeReport() {
  Table table;
  table.model = "linear m=1 n=2, \"odd\" <name>";
  table.isa = "AVX2";
  table.work = {2e6, 2e6, 4e4, 1e4};
  table.roofs = {{1, 100e9, {{1e4, 80e9, 160e9}, {1e8, 10e9, 12e9}}}};
  table.limit = limitOf(table.roof(), table.work);
  table.rows = {makeRow("packed", 40e-6), makeRow("rows", 50e-6)};
  table.rows[0].isDefault = true;
  table.rows.push_back(makeRow("noisy", 60e-6));
  table.rows.back().rounds = {{60e-6, 80e-6, 50e-6}, 48e-6};
  table.rows.push_back(makeRow("wrong", 0));
  table.rows.back().problem = "out [1, 2] f32: FAIL";
  table.others = {{"wide", "needs avx512f, which this CPU lacks"}};
  Profile profile;
  table.expense = {0.5, 1, 2};
  profile.total = 41e-6;
  profile.unprofiled = 40e-6;
  profile.rows = {{{"k0", "linear", "packed", "1x2 -> 1x2", table.work, 1}, 30e-6}};
  table.profile = profile;
  Report report;
  report.version = "1.2.3";
  report.cpu = "a CPU";
  report.timing.repetitions = 5;
  report.inputs = "random, --seed 1";
  report.commandLine = "heddle bench x";
  report.tables = {table};
  return report;
}

/// Makes a report with two sizes of a range. The profile at the first size also contains a kernel that is limited by
/// memory and a kernel that takes no time.
inline Report makeRangeReport() {
  Report report = makeReport();
  Table &table = report.tables[0];
  table.model = "linear m=1..8";
  table.sizes = "m=1";
  table.roofs.insert(table.roofs.begin(), {1, 50e9, {{1e8, 7e9, 8e9}}});
  table.roofs[1].threads = 2;
  table.roofs[1].flopsChange = 0.2;
  table.threads = 2;
  table.profile->rows.push_back({{"k1", "softmax", "", "1x2 -> 1x2", {1e3, 0, 4e4, 4e4}, 3}, 10e-6});
  table.profile->rows.push_back({{"k2", "general", "", "1x2 -> 1x2", {0, 0, 0, 0}, 1}, 0});
  report.tables.push_back(table);
  Table &second = report.tables[1];
  second.sizes = "m=8";
  second.rows[1] = makeRow("rows", 20e-6);
  second.profile.reset();
  return report;
}

/// Makes a report with two tables: one for a device with concurrent callers, and one for a CPU with cold caches. The
/// default candidate of the second table fails.
inline Report makeDeviceReport() {
  Report report = makeReport();
  Table &device = report.tables[0];
  device.device = "vulkan:0 (a driver)";
  device.isa = "a GPU";
  device.callers = 4;
  device.work = {2e3, 1e3, 4e6, 3e6};
  device.roofs[0].threads = 0;
  device.limit = limitOf(device.roof(), device.work, device.callers);
  device.rows[0].repetitions.pop_back();
  device.rows[0].rounds.seconds.pop_back();
  device.rows[0].codeSize = 12345;
  device.rows[1].arenaSize = 67890;
  device.rows[1].choice = "linear=rows";
  device.hostTensors = 60e-6;
  Table cold = makeReport().tables[0];
  cold.model = "linear m=2 n=2";
  cold.coldBytes = 64000000;
  cold.work = {0, 0, 3e5, 1e4};
  cold.limit = limitOf(cold.roof(), cold.work);
  cold.rows[0].problem = "does not compile: \"x\"";
  cold.profile.reset();
  cold.others.clear();
  report.tables.push_back(cold);
  return report;
}

/// Makes a report in which the launches of kernels are counted instead of timed.
inline Report makeCountedReport() {
  Report report = makeReport();
  Table &table = report.tables[0];
  table.device = "cuda-interpreted (an interpreter)";
  table.isCounted = true;
  table.roofs.clear();
  table.profile.reset();
  table.kernels = {{"k0", "linear", "packed", "1x2 -> 1x2", table.work, 1}};
  for (Row &row : table.rows)
    row = {row.strategy, row.isDefault, "", row.problem, {}, {}, {}, 0, 0, 0, {}};
  LaunchCounts counts;
  counts.instructions = (uint64_t(1) << 53) + 1; // a double cannot represent the number
  counts.barriers = 2;
  counts.sharedRequests = 10;
  counts.sharedWavefronts = 15;
  counts.globalRequests = 3;
  counts.globalSectors = 12;
  table.rows[0].counts = {{"k0_launch0", 2, counts}, {"k7_launch0", 1, {}}};
  return report;
}

/// Returns the values from which the formats are written.
inline ReportValues valuesOf(const Report &report) { return llvm::cantFail(ReportValues::read(jsonReport(report))); }

/// A function that writes a report in one format.
using Writer = void (*)(const ReportValues &, llvm::raw_ostream &);

/// Returns the report in the format of `write`.
inline std::string print(Writer write, const ReportValues &values) {
  std::string text;
  llvm::raw_string_ostream os(text);
  write(values, os);
  return text;
}
inline std::string print(Writer write, const Report &report) { return print(write, valuesOf(report)); }

inline std::string printJson(const Report &report) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeJson(jsonReport(report), os);
  return text;
}

} // namespace heddle::bench

#endif // HEDDLE_TESTS_REPORTS_H
