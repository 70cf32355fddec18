//===- CsvReport.cpp - benchmark results as CSV ---------------------------===//
//
// There is a line for each candidate of each table, and for each kernel of a profile. Times are in seconds, rates per
// second, shares from 0 to 1.
//
//===----------------------------------------------------------------------===//

#include "Lines.h"

#include "heddle/Devices.h"

#include "llvm/Support/Format.h"

using namespace heddle::bench;

static std::string quoted(llvm::StringRef text) {
  if (text.find_first_of(",\"\r\n") == llvm::StringRef::npos)
    return text.str();
  std::string result = "\"";
  for (char c : text)
    result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

static std::string number(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.6g", value);
  return text;
}

void heddle::bench::writeCsv(const Report &report, llvm::raw_ostream &os) {
  os << "model,strategy,default,threads,callers,cold_bytes,median,p90,p99,best,spread,calls_per_second,flops_per_second,"
        "bytes_per_second,roof,roof_seconds,share_of_roof,ratio_to_default,lower_quartile,upper_quartile,ratio_of_minima,rounds,"
        "doubt,code_bytes,arena_bytes,status,device\n";
  for (const Table &table : report.tables) {
    std::string device = quoted(table.device.empty() ? hostDevice.str() : table.device);
    auto line = [&](llvm::StringRef strategy, const Row *row, llvm::StringRef status) {
      bool timed = row && row->problem.empty();
      os << quoted(table.name()) << "," << quoted(strategy) << "," << (row && row->isDefault) << "," << table.threads
         << "," << table.callers << "," << table.coldBytes << ",";
      if (timed) {
        double calls = table.callsPerSecond(*row);
        Ratio ratio = table.ratio(*row);
        for (double value : {row->time.median, row->time.p90, row->time.p99, row->time.best, row->time.spread,
                             row->callsPerSecond, table.work.flops * calls, table.work.bytes() * calls})
          os << number(value) << ",";
        os << limitName(table) << "," << number(table.limit.seconds) << "," << number(table.share(*row)) << ","
           << number(ratio.rounds.median) << "," << number(ratio.rounds.lower) << "," << number(ratio.rounds.upper)
           << "," << number(ratio.minima) << "," << row->rounds.seconds.size() << ","
           << quoted(table.doubts(*row).text()) << "," << row->codeSize << "," << row->arenaSize << ",";
      } else {
        os << ",,,,,,,,,,,,,,,,,,,";
      }
      os << quoted(status) << "," << device << "\n";
    };
    for (const Row &row : table.rows)
      line(row.strategy, &row, row.problem.empty() ? "ok" : row.problem);
    if (table.profile)
      for (const ProfileRow &row : table.profile->rows) {
        const KernelInfo &kernel = row.kernel;
        double rate = row.seconds > 0 ? double(kernel.calls) / row.seconds : 0;
        RoofLimit limit = limitOf(table.roof(), kernel.work);
        os << quoted(table.name()) << "," << quoted("profile/" + kernel.function + " " + kernel.op) << ",0,"
           << table.threads << "," << table.callers << "," << table.coldBytes << ","
           << number(row.seconds) << ",,,,,," << number(kernel.work.flops * rate) << ","
           << number(kernel.work.bytes() * rate) << "," << (limit.compute ? "compute" : "memory") << ","
           << number(limit.seconds) << "," << number(limit.seconds * rate) << ",,,,,,,,,ok," << device << "\n";
      }
    for (const Ineligible &other : table.others)
      line(other.strategy, nullptr, "not eligible: " + other.reason);
  }
}
