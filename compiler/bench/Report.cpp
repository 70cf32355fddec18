//===- Report.cpp - the results of a benchmark ----------------------------===//

#include "Report.h"

#include <cmath>
#include <cstdio>

using namespace heddle::bench;

Profile::Profile(llvm::ArrayRef<KernelInfo> kernels, const CallTimes &times, double total, double unprofiled)
    : total(total), unprofiled(unprofiled) {
  for (const KernelInfo &kernel : kernels)
    rows.push_back({kernel, 0});
  for (auto &[name, seconds] : times.medians())
    for (ProfileRow &row : rows)
      if (row.kernel.function == name)
        row.seconds += seconds;
  llvm::sort(rows, [](const ProfileRow &a, const ProfileRow &b) {
    return std::tie(b.seconds, a.kernel.function) < std::tie(a.seconds, b.kernel.function);
  });
}

const Row *Table::defaultRow() const {
  for (const Row &row : rows)
    if (row.isDefault && row.problem.empty())
      return &row;
  return nullptr;
}

double Table::callsPerSecond(const Row &row) const {
  return callers > 1 ? row.callsPerSecond : row.time.median > 0 ? 1 / row.time.median : 0;
}

Ratio Table::ratio(const Row &row) const {
  const Row *base = defaultRow();
  return base ? compareRounds(base->rounds, row.rounds) : Ratio();
}

Doubts Table::doubts(const Row &row) const {
  Doubts doubts;
  Quartiles seconds = quartiles(row.rounds.seconds);
  if (seconds.distance() > farApart)
    doubts.time = "half of the rounds take between " + timeText(seconds.lower) + " and " + timeText(seconds.upper);
  doubts.share = roof().doubt(limit.compute, double(callers) * work.bytes());
  if (defaultRow() && !row.isDefault)
    doubts.ratio = doubtOf(ratio(row));
  return doubts;
}

std::string Doubts::text() const {
  std::string text;
  for (auto [figure, why] : {std::pair("time", &time), {"share of the roof", &share}, {"ratio", &ratio}})
    if (!why->empty())
      text += (text.empty() ? "" : "; ") + std::string(figure) + ": " + *why;
  return text;
}

double Table::share(const Row &row) const {
  if (row.time.median <= 0)
    return 0;
  return limit.seconds * callsPerSecond(row);
}

bool Table::ok() const {
  return llvm::all_of(rows, [](const Row &row) { return row.problem.empty(); });
}

bool Report::ok() const {
  return llvm::all_of(tables, [](const Table &table) { return table.ok(); });
}

std::string heddle::bench::digits(double value, int significant) {
  int decimals = significant - 1;
  if (value >= 1) {
    double unit = std::pow(10, std::floor(std::log10(value)) + 1 - significant);
    value = std::round(value / unit) * unit; // with 3 digits, 99.96 becomes 100
    decimals = std::max(0, significant - 1 - int(std::floor(std::log10(value) + 1e-9)));
  }
  char text[64];
  snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

static std::string scaled(double value, std::initializer_list<std::pair<double, const char *>> units) {
  auto unit = units.begin();
  while (unit + 1 != units.end() && value < unit->first * 0.9995)
    ++unit;
  return digits(value / unit->first, 3) + " " + unit->second;
}

std::string heddle::bench::timeText(double seconds) {
  return scaled(seconds, {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}});
}
std::string heddle::bench::flopsText(double rate) {
  return scaled(rate, {{1e12, "TFLOP/s"}, {1e9, "GFLOP/s"}, {1e6, "MFLOP/s"}});
}
std::string heddle::bench::operationsText(double flops) {
  return scaled(flops, {{1e12, "TFLOP"}, {1e9, "GFLOP"}, {1e6, "MFLOP"}, {1e3, "kFLOP"}, {1, "FLOP"}});
}
std::string heddle::bench::bytesText(double bytes) {
  return scaled(bytes, {{1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "B"}});
}
std::string heddle::bench::percentText(double share) { return digits(100 * share, share < 0.1 ? 2 : 3) + "%"; }

std::string heddle::bench::rateText(const Table &table, const Row &row) {
  double calls = table.callsPerSecond(row);
  return table.limit.compute ? flopsText(table.work.flops * calls)
                             : scaled(table.work.bytes() * calls, {{1e9, "GB/s"}, {1e6, "MB/s"}});
}
