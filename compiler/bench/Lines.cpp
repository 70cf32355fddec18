//===- Lines.cpp - the lines and tables of text reports -------------------===//

#include "Lines.h"

using namespace heddle;
using namespace heddle::bench;

static std::string count(size_t number, const char *what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

const char *heddle::bench::limitName(const Table &table) { return table.limit.compute ? "compute" : "memory"; }

const char *heddle::bench::bandwidthKind(const Table &table) {
  if (table.coldBytes)
    return "past the caches";
  return table.device.empty() ? "for this size" : "for a launch of this size";
}

std::string heddle::bench::conditionsLine(const Report &report, const Table &table) {
  std::string text = table.device.empty() ? count(table.threads, "thread") : "on " + table.device;
  if (table.callers > 1)
    text += (table.device.empty() ? " for each of " : ", ") + count(table.callers, "caller");
  text += ", " + count(report.timing.repetitions, "repetition") + " in turns, inputs " + report.inputs;
  if (table.coldBytes)
    text += ", caches cold: " + bytesText(double(table.coldBytes)) + " of other memory read before each call";
  return text;
}

std::string heddle::bench::roofLine(const Table &table) {
  std::string text = std::string(table.isa) + " roofs:";
  for (const Roof &roof : table.roofs) {
    text += (roof.threads == table.roofs.front().threads ? " " : "; ") +
            (roof.threads ? count(roof.threads, "thread") + " " : "") + "FMA " + flopsText(roof.flops);
    if (!roof.bandwidth.empty())
      text += ", copy " + bytesText(roof.bandwidth.back().copy) + "/s from memory";
  }
  return text;
}

static std::string amountText(const Work &work) {
  std::string text = operationsText(work.flops) + " on " + bytesText(work.bytes());
  if (work.bytes() > 0)
    text += ", " + digits(work.flops / work.bytes(), 3) + " FLOP/byte";
  return text;
}

std::string heddle::bench::workLine(const Table &table) {
  std::string text = amountText(table.work) + ": at best " + timeText(table.limit.seconds);
  if (table.limit.compute)
    return text + ", by compute at " + flopsText(table.roof().flops);
  return text + ", by memory at " + bytesText(table.bandwidth()) + "/s " + bandwidthKind(table);
}

std::vector<std::string> heddle::bench::headLines(const Report &report, const Table &table) {
  const Expense &expense = table.expense;
  if (table.isCounted)
    return {"on " + table.device + ", launches of one call counted, inputs " + report.inputs, amountText(table.work)};
  std::string compiling = expense.compiling > 0 ? "compiling " + timeText(expense.compiling) + ", " : "";
  return {conditionsLine(report, table), roofLine(table), workLine(table),
          "took " + timeText(expense.compiling + expense.judging + expense.timing) + ": " + compiling + "verifying " +
              timeText(expense.judging) + ", timing " + timeText(expense.timing)};
}

std::vector<Remark> heddle::bench::remarks(const Report &report, const Table &table) {
  std::vector<Remark> remarks;
  for (const Row &row : table.rows)
    if (!row.problem.empty())
      remarks.push_back({row.strategy, (table.isCounted ? "not counted: " : "not timed: ") + row.problem, true});
  for (const Row &row : table.rows) {
    if (!row.problem.empty() || table.isCounted)
      continue;
    size_t rounds = row.rounds.seconds.size(), all = report.timing.repetitions;
    std::string text;
    if (rounds < all)
      text = "only " + std::to_string(rounds) + " of " + count(all, "repetition") + " fit into the duration";
    if (Doubts doubts = table.doubts(row); doubts.any())
      text += (text.empty() ? "" : "; ") + ("not to be trusted: " + doubts.text());
    if (!text.empty())
      remarks.push_back({row.strategy, text});
  }
  for (const Ineligible &other : table.others)
    remarks.push_back({other.strategy, "not eligible: " + other.reason});
  return remarks;
}

/// Returns a figure, followed by a question mark if it is not trusted.
static std::string marked(std::string figure, const std::string &doubt) { return doubt.empty() ? figure : figure + " ?"; }

Columns heddle::bench::resultColumns(const Table &table) {
  Columns columns;
  std::string roof = std::string("of ") + limitName(table) + " roof", rate = table.limit.compute ? "FLOP rate" : "bytes";
  if (table.callers > 1)
    columns.add({"strategy", "calls/s", "p50", "p90", "p99", "spread", rate, roof, "to default", "quartiles", "minima"});
  else
    columns.add({"strategy", "median", "p90", "spread", rate, roof, "to default", "quartiles", "minima"});
  for (const Row &row : table.rows) {
    if (!row.problem.empty())
      continue;
    std::vector<std::string> cells = {row.strategy + (row.isDefault && row.strategy != "default" ? " (default)" : "")};
    if (table.callers > 1)
      cells.push_back(digits(row.callsPerSecond, 4));
    Doubts doubts = table.doubts(row);
    cells.push_back(marked(timeText(row.time.median), doubts.time));
    cells.push_back(timeText(row.time.p90));
    if (table.callers > 1)
      cells.push_back(timeText(row.time.p99));
    cells.push_back(percentText(row.time.spread));
    cells.push_back(rateText(table, row));
    cells.push_back(marked(percentText(table.share(row)), doubts.share));
    Ratio ratio = table.ratio(row);
    bool compared = table.defaultRow() && !row.isDefault;
    cells.push_back(table.defaultRow() ? marked(digits(ratio.rounds.median, 3), doubts.ratio) : "-");
    cells.push_back(compared ? digits(ratio.rounds.lower, 3) + " to " + digits(ratio.rounds.upper, 3) : "-");
    cells.push_back(compared ? digits(ratio.minima, 3) : "-");
    columns.add(std::move(cells));
  }
  return columns;
}

static std::string aheadText(const std::string &strategy, double ratio, bool sure) {
  std::string ahead = percentText(ratio - 1);
  return sure ? "fastest is " + strategy + ", " + ahead + " faster than the default"
              : strategy + " is ahead of the default by " + ahead + ", which may be chance";
}

std::string heddle::bench::verdictLine(const Table &table) {
  const Row *base = table.defaultRow(), *best = nullptr;
  size_t timed = 0;
  for (const Row &row : table.rows)
    if (row.problem.empty()) {
      ++timed;
      if (!best || table.ratio(row).rounds.median > table.ratio(*best).rounds.median)
        best = &row;
    }
  if (!base || timed < 2)
    return "";
  if (best == base)
    return "the default is the fastest";
  Ratio ratio = table.ratio(*best);
  return aheadText(best->strategy, ratio.rounds.median, ratio.rounds.lower > 1 && table.doubts(*best).ratio.empty());
}

/// The comparison of a candidate with the default over all sizes.
struct Overall {
  // Sums of times relative to the default. `time` adds the medians, and `upper` adds the upper quartiles over rounds.
  double time = 0, upper = 0;
  bool trusted = true;
};

static std::optional<Overall> compareOverall(llvm::ArrayRef<Table> tables, const std::string &strategy) {
  Overall overall;
  for (const Table &table : tables) {
    auto row = llvm::find_if(table.rows, [&](const Row &row) { return row.strategy == strategy; });
    if (row == table.rows.end() || !row->problem.empty() || !table.defaultRow())
      return std::nullopt;
    Ratio ratio = table.ratio(*row);
    overall.time += 1 / ratio.rounds.median;
    overall.upper += 1 / ratio.rounds.lower;
    overall.trusted &= table.doubts(*row).ratio.empty();
  }
  return overall;
}

static std::string overallLine(llvm::ArrayRef<Table> tables) {
  std::string best, line = tables.front().model;
  double count = double(tables.size()), time = count;
  bool anyOther = false, sure = false;
  for (const Row &row : tables.front().rows) {
    std::optional<Overall> overall = compareOverall(tables, row.strategy);
    if (!overall || row.isDefault)
      continue;
    anyOther = true;
    if (overall->time >= time)
      continue;
    best = row.strategy;
    time = overall->time;
    sure = overall->trusted && overall->upper < count;
  }
  if (!anyOther)
    return "";
  for (const Table &table : tables)
    line += (&table == &tables.front() ? " at " : "; ") + table.sizes;
  return line + ", by the sum of relative times: " +
         (best.empty() ? "the default is the fastest" : aheadText(best, count / time, sure));
}

std::vector<std::string> heddle::bench::overallLines(const Report &report) {
  std::vector<std::string> lines;
  for (llvm::ArrayRef<Table> rest = report.tables; !rest.empty();) {
    llvm::ArrayRef<Table> same = rest.take_while([&](const Table &table) { return table.model == rest.front().model; });
    rest = rest.drop_front(same.size());
    std::string line = same.size() > 1 && !same.front().sizes.empty() && !same.front().isCounted ? overallLine(same) : "";
    if (!line.empty())
      lines.push_back(line);
  }
  return lines;
}

Columns heddle::bench::profileColumns(const Table &table) {
  Columns columns({0, 1, 2, 8});
  columns.add({"kernel", "op", "strategy", "calls", "time", "share", "rate", "of roof", "shape"});
  const Profile &profile = *table.profile;
  double sum = 0;
  for (const ProfileRow &row : profile.rows) {
    const Work &work = row.kernel.work;
    double calls = double(row.kernel.calls);
    RoofLimit limit = limitOf(table.roof(), work);
    sum += row.seconds;
    std::string rate = limit.compute ? flopsText(work.flops * calls / row.seconds)
                                     : bytesText(work.bytes() * calls / row.seconds) + "/s";
    columns.add({row.kernel.function, row.kernel.op, row.kernel.strategy.empty() ? "-" : row.kernel.strategy,
                 std::to_string(row.kernel.calls), timeText(row.seconds), percentText(row.seconds / profile.total),
                 row.seconds > 0 ? rate : "-",
                 row.seconds > 0 ? percentText(limit.seconds * calls / row.seconds) +
                                       (limit.compute ? " compute" : " memory")
                                 : "-",
                 row.kernel.shape});
  }
  columns.add({"sum", "", "", "", timeText(sum), percentText(sum / profile.total), "", "", ""});
  double rest = std::max(0.0, profile.total - sum);
  columns.add({"outside kernels", "", "", "", timeText(rest), percentText(rest / profile.total), "", "", ""});
  return columns;
}

/// Formats the average for each request, such as "1.5".
static std::string eachText(uint64_t all, uint64_t requests) {
  return requests ? digits(double(all) / double(requests), 3) : "-";
}

static void addCounts(Columns &columns, std::vector<std::string> cells, uint64_t launches, const LaunchCounts &counts) {
  for (uint64_t number : {launches, counts.instructions, counts.barriers, counts.sharedWavefronts})
    cells.push_back(std::to_string(number));
  cells.push_back(eachText(counts.sharedWavefronts, counts.sharedRequests));
  cells.push_back(std::to_string(counts.globalSectors));
  cells.push_back(eachText(counts.globalSectors, counts.globalRequests));
  columns.add(std::move(cells));
}

Columns heddle::bench::countColumns(const Table &table) {
  Columns columns({0, 1, 2});
  columns.add({"candidate", "kernel", "op", "launches", "instructions", "barriers", "wavefronts", "a request", "sectors",
               "a request"});
  for (const Row &row : table.rows) {
    KernelCounts sum;
    for (const KernelCounts &kernel : row.counts) {
      auto info = llvm::find_if(
          table.kernels, [&](const KernelInfo &info) { return info.function == modelKernelOf(kernel.kernel); });
      addCounts(columns, {row.strategy, kernel.kernel, info == table.kernels.end() ? "-" : info->op}, kernel.launches,
                kernel.counts);
      sum.launches += kernel.launches;
      sum.counts += kernel.counts;
    }
    if (row.problem.empty())
      addCounts(columns, {row.strategy, "sum", ""}, sum.launches, sum.counts);
  }
  return columns;
}
