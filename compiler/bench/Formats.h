//===- Formats.h - writes the values of a report ----------------*- C++ -*-===//

#ifndef HEDDLE_BENCH_FORMATS_H
#define HEDDLE_BENCH_FORMATS_H

#include "ReportValues.h"

#include "llvm/Support/raw_ostream.h"

namespace heddle::bench {

// In these reports, a candidate is the model compiled with a choice of strategies, and a table compares the candidates
// for one set of sizes.

/// Writes tables for a terminal.
void writeText(const ReportValues &report, llvm::raw_ostream &os);
/// Writes Markdown.
void writeMarkdown(const ReportValues &report, llvm::raw_ostream &os);
/// Writes a line for each candidate of each table, for each kernel of a profile, and for each strategy that is not
/// eligible.
void writeCsv(const ReportValues &report, llvm::raw_ostream &os);
/// Writes one self-contained page.
void writeHtml(const ReportValues &report, llvm::raw_ostream &os);

} // namespace heddle::bench

#endif // HEDDLE_BENCH_FORMATS_H
