//===- JsonReport.h - benchmark results as JSON -----------------*- C++ -*-===//

#ifndef HEDDLE_BENCH_JSONREPORT_H
#define HEDDLE_BENCH_JSONREPORT_H

#include "Report.h"

#include "llvm/Support/JSON.h"

namespace heddle::bench {

/// Returns a report in the JSON format of Google Benchmark, which the script compare.py of that project reads. The
/// report contains everything that the other formats show: "benchmarks" contains the measured values of each candidate
/// (the model compiled with a choice of strategies) and each kernel, "tables" contains the other values of each table,
/// and "context" contains the values of the whole report and the sentences of the text report. ReportValues::read reads
/// the result.
llvm::json::Value jsonReport(const Report &report);

/// Writes a report that jsonReport() returned, with "context" first, as Google Benchmark does.
void writeJson(const llvm::json::Value &report, llvm::raw_ostream &os);

} // namespace heddle::bench

#endif // HEDDLE_BENCH_JSONREPORT_H
