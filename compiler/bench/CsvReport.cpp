//===- CsvReport.cpp - benchmark results as CSV ---------------------------===//
//
// The file contains a line for each candidate of each table, for the default
// with tensors on the host if the code is for a device, for each kernel of a
// profile, and for each strategy that is not eligible. A candidate is the
// model compiled with a choice of strategies; a table compares the candidates
// for one set of sizes.
//
//===----------------------------------------------------------------------===//

#include "Formats.h"

#include "heddle/Devices.h"

#include "llvm/Support/Format.h"

using namespace heddle::bench;

/// Returns the text as a cell. The cell is quoted if the text contains a comma, a quote or a line break.
static std::string quoted(llvm::StringRef text) {
  if (text.find_first_of(",\"\r\n") == llvm::StringRef::npos)
    return text.str();
  std::string result = "\"";
  for (char c : text)
    result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

namespace {
/// A column of numbers: its heading, and the name of the figure that it contains (Figures.cpp).
struct NumberColumn {
  const char *header, *figure;
  bool isCount = false; // whether the figure is a whole number
};
} // namespace

static constexpr NumberColumn speedColumns[] = {{"median", "call_median"},
                                                {"p90", "call_p90"},
                                                {"p99", "call_p99"},
                                                {"best", "call_best"},
                                                {"spread", "call_spread"},
                                                {"calls_per_second", "calls_per_second"},
                                                {"flops_per_second", "call_flops_per_second"},
                                                {"bytes_per_second", "call_bytes_per_second"}};
static constexpr NumberColumn shareColumns[] = {{"roof_seconds", "roof_seconds"},
                                                {"share_of_roof", "call_share_of_roof"},
                                                {"ratio_to_default", "ratio_to_default"},
                                                {"lower_quartile", "ratio_lower_quartile"},
                                                {"upper_quartile", "ratio_upper_quartile"},
                                                {"ratio_of_minima", "ratio_of_minima"},
                                                {"rounds", "rounds", true}};
static constexpr NumberColumn sizeColumns[] = {{"code_bytes", "code_bytes", true},
                                               {"arena_bytes", "arena_bytes", true}};

static std::string headers(llvm::ArrayRef<NumberColumn> columns) {
  std::string text;
  for (const NumberColumn &column : columns)
    text += std::string(column.header) + ",";
  return text;
}

/// Returns a figure of a candidate or of a kernel. For kernels, the names of some figures do not have the prefix
/// "call_".
static std::optional<double> valueOf(const Figures &figures, llvm::StringRef name) {
  std::optional<double> value = figureNamed(figures, name);
  return !value && name.consume_front("call_") ? figureNamed(figures, name) : value;
}

/// Returns the cells of some columns, each followed by a comma. The cell of a missing figure is empty.
static std::string cells(llvm::ArrayRef<NumberColumn> columns, const Figures &figures) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const NumberColumn &column : columns) {
    if (std::optional<double> value = valueOf(figures, column.figure))
      os << llvm::format(column.isCount ? "%.0f" : "%.6g", *value);
    os << ",";
  }
  return text;
}

void heddle::bench::writeCsv(const ReportValues &report, llvm::raw_ostream &os) {
  os << "model,strategy,default,threads,callers,cold_bytes," << headers(speedColumns) << "roof,"
     << headers(shareColumns) << "doubt," << headers(sizeColumns) << "status,device\n";
  for (const TableValues &table : report.tables) {
    auto line = [&](llvm::StringRef strategy, bool isDefault, const Figures &figures, llvm::StringRef roof,
                    llvm::StringRef doubt, llvm::StringRef status) {
      os << quoted(table.name()) << "," << quoted(strategy) << "," << isDefault << "," << table.threads << ","
         << table.callers << "," << table.coldBytes << "," << cells(speedColumns, figures) << roof << ","
         << cells(shareColumns, figures) << quoted(doubt) << "," << cells(sizeColumns, figures) << quoted(status) << ","
         << quoted(table.device.empty() ? llvm::StringRef(hostDevice) : llvm::StringRef(table.device)) << "\n";
    };
    for (const RowValues &row : table.rows)
      if (row.problem.empty())
        line(row.strategy, row.isDefault, row.figures, table.limitedBy, row.doubts.text(), "ok");
      else
        line(row.strategy, row.isDefault, {}, "", "", row.problem);
    if (const RowValues *row = table.defaultRow(); row && table.hostTensors)
      line("host-tensors/" + row->strategy, false, {{"call_median", *table.hostTensors}}, "", "", "ok");
    if (table.profile)
      for (const KernelValues &kernel : table.profile->kernels)
        line("profile/" + kernel.function + " " + kernel.op, false, kernel.figures, kernel.limitedBy, "", "ok");
    for (const IneligibleValues &other : table.others)
      line(other.strategy, false, {}, "", "", "not eligible: " + other.reason);
  }
}
