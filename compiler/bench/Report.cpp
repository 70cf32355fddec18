//===- Report.cpp - the results of a benchmark ----------------------------===//

#include "Report.h"

#include "Units.h"

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

void Row::setTimes(const Subject &subject) {
  time = subject.summary();
  rounds = subject.rounds();
  repetitions = subject.repetitions;
  double calls = 0, seconds = 0;
  for (const Repetition &repetition : repetitions) {
    calls += double(repetition.iterations);
    seconds += repetition.wallSeconds;
  }
  callsPerSecond = seconds > 0 ? calls / seconds : 0;
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
