//===- Lines.cpp - the lines and tables of text reports -------------------===//

#include "Lines.h"

#include "Units.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

using namespace heddle;
using namespace heddle::bench;

/// Returns "1 thread" or "2 threads" if `what` is "thread".
static std::string count(size_t number, const char *what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

const char *heddle::bench::bandwidthKind(const TableValues &table) {
  if (table.coldBytes)
    return "with cold caches";
  return table.device.empty() ? "for this size" : "for a launch of this size";
}

std::string heddle::bench::conditionsLine(const ReportValues &report, const TableValues &table) {
  std::string text = table.device.empty() ? count(table.threads, "thread") : "on " + table.device;
  if (table.hasDeviceTensors)
    text += ", tensors on the device";
  if (table.callers > 1)
    text += (table.device.empty() ? " for each of " : ", ") + count(table.callers, "caller");
  text += ", " + count(report.repetitions, "round") + ", inputs " + report.inputs;
  if (table.coldBytes)
    text += ", caches cold: " + bytesText(double(table.coldBytes)) + " of other memory read before each call";
  return text;
}

std::string heddle::bench::roofLine(const TableValues &table) {
  std::string text = table.isa + " roofs:";
  for (const RoofValues &roof : table.roofs) {
    text += (roof.threads == table.roofs.front().threads ? " " : "; ") +
            (roof.threads ? count(roof.threads, "thread") + " " : "") + "FMA " + flopsText(roof.flops);
    if (roof.copy)
      text += ", copy " + bytesText(*roof.copy) + "/s from memory";
  }
  return text;
}

static std::string amountText(const TableValues &table) {
  std::string text = operationsText(table.flops) + " on " + bytesText(table.bytes);
  if (table.bytes > 0)
    text += ", " + digits(table.flops / table.bytes, 3) + " FLOP/byte";
  return text;
}

std::string heddle::bench::workLine(const TableValues &table) {
  std::string text = amountText(table) + ": at best " + timeText(table.roofSeconds);
  if (table.isLimitedByCompute())
    return text + ", by compute at " + flopsText(table.roofs.back().flops);
  return text + ", by memory at " + bytesText(table.bandwidth) + "/s " + bandwidthKind(table);
}

std::vector<std::string> heddle::bench::headLines(const ReportValues &report, const TableValues &table) {
  if (table.isCounted)
    return {"on " + table.device + ", launches of one call counted, inputs " + report.inputs, amountText(table)};
  std::string compiling = table.compiling > 0 ? "compiling " + timeText(table.compiling) + ", " : "";
  return {conditionsLine(report, table), roofLine(table), workLine(table),
          "took " + timeText(table.compiling + table.verifying + table.timing) + ": " + compiling + "verifying " +
              timeText(table.verifying) + ", timing " + timeText(table.timing)};
}

std::vector<Remark> heddle::bench::remarks(const ReportValues &report, const TableValues &table) {
  std::vector<Remark> remarks;
  for (const RowValues &row : table.rows)
    if (!row.problem.empty())
      remarks.push_back({row.strategy, (table.isCounted ? "not counted: " : "not timed: ") + row.problem, true});
  for (const RowValues &row : table.rows) {
    if (!row.problem.empty() || table.isCounted)
      continue;
    size_t rounds = size_t(row.figure("rounds")), all = report.repetitions;
    std::string text;
    if (rounds < all)
      text = "only " + std::to_string(rounds) + " of " + count(all, "repetition") + " fit into the duration";
    if (row.doubts.any())
      text += (text.empty() ? "" : "; ") + ("not to be trusted: " + row.doubts.text());
    if (!text.empty())
      remarks.push_back({row.strategy, text});
  }
  for (const IneligibleValues &other : table.others)
    remarks.push_back({other.strategy, "not eligible: " + other.reason});
  return remarks;
}

std::string heddle::bench::rateText(const TableValues &table, const RowValues &row) {
  return table.isLimitedByCompute() ? flopsText(row.figure("call_flops_per_second"))
                                    : bytesRateText(row.figure("call_bytes_per_second"));
}

/// Returns a figure, followed by a question mark if it is not trusted.
static std::string marked(std::string figure, const std::string &doubt) { return doubt.empty() ? figure : figure + " ?"; }

/// Returns a table with a row for each candidate that was timed. (A candidate is the model compiled with one choice of
/// strategies.) The name of the default candidate is followed by "(default)", unless it is "default". "spread" is the
/// range of the medians of the repetitions, relative to the median; "to default" is the default's time divided by the
/// candidate's time (the median of this ratio over the rounds), "quartiles" are the quartiles of this ratio over the
/// rounds, and "minima" is the ratio of the shortest times.
static Columns resultColumns(const TableValues &table) {
  Columns columns;
  std::string roof = "of " + table.limitedBy + " roof", rate = table.isLimitedByCompute() ? "FLOP rate" : "bytes";
  if (table.callers > 1)
    columns.add({"strategy", "calls/s", "p50", "p90", "p99", "spread", rate, roof, "to default", "quartiles", "minima"});
  else
    columns.add({"strategy", "median", "p90", "spread", rate, roof, "to default", "quartiles", "minima"});
  for (const RowValues &row : table.rows) {
    if (!row.problem.empty())
      continue;
    std::vector<std::string> cells = {row.strategy + (row.isDefault && row.strategy != "default" ? " (default)" : "")};
    if (table.callers > 1)
      cells.push_back(digits(row.figure("calls_per_second"), 4));
    cells.push_back(marked(timeText(row.figure("call_median")), row.doubts.time));
    cells.push_back(timeText(row.figure("call_p90")));
    if (table.callers > 1)
      cells.push_back(timeText(row.figure("call_p99")));
    cells.push_back(percentText(row.figure("call_spread")));
    cells.push_back(rateText(table, row));
    cells.push_back(marked(percentText(row.figure("call_share_of_roof")), row.doubts.share));
    auto ratio = [&](const char *figure) { return digits(row.figure(figure), 3); };
    bool compared = table.defaultRow() && !row.isDefault;
    cells.push_back(table.defaultRow() ? marked(ratio("ratio_to_default"), row.doubts.ratio) : "-");
    cells.push_back(compared ? ratio("ratio_lower_quartile") + " to " + ratio("ratio_upper_quartile") : "-");
    cells.push_back(compared ? ratio("ratio_of_minima") : "-");
    columns.add(std::move(cells));
  }
  return columns;
}

/// Returns text that says by how much a strategy is faster than the default. `ratio` is the default's time divided by
/// the strategy's time. If `sure` is false, the difference may be due to noise.
static std::string aheadText(const std::string &strategy, double ratio, bool sure) {
  std::string ahead = percentText(ratio - 1);
  return sure ? "fastest is " + strategy + ", " + ahead + " faster than the default"
              : strategy + " is ahead of the default by " + ahead + ", which may be due to chance";
}

std::string heddle::bench::copiesLine(const TableValues &table) {
  if (!table.hostTensors)
    return "";
  std::string text = "with tensors on the host, which are copied in each call: " + timeText(*table.hostTensors);
  const RowValues *row = table.defaultRow();
  double median = row ? row->figure("call_median") : 0;
  return median > 0 ? text + ", " + digits(*table.hostTensors / median, 3) + " times the time of the default" : text;
}

std::string heddle::bench::verdictLine(const TableValues &table) {
  const RowValues *base = table.defaultRow(), *best = nullptr;
  size_t timed = 0;
  for (const RowValues &row : table.rows)
    if (row.problem.empty()) {
      ++timed;
      if (!best || row.figure("ratio_to_default") > best->figure("ratio_to_default"))
        best = &row;
    }
  if (!base || timed < 2 || table.isCounted)
    return "";
  if (best == base)
    return "the default is the fastest";
  return aheadText(best->strategy, best->figure("ratio_to_default"),
                   best->figure("ratio_lower_quartile") > 1 && best->doubts.ratio.empty());
}

/// The comparison of a candidate with the default candidate over all sizes of a model.
struct Overall {
  // Sums over all sizes of the candidate's time divided by the default's time. `time` adds up the medians of this ratio
  // over the rounds, and `upper` adds up the upper quartiles.
  double time = 0, upper = 0;
  bool trusted = true; // whether the ratios at all sizes are trusted
};

/// Compares the candidate `strategy` with the default candidate over all tables. Returns nothing if a table lacks the
/// times of one of the two candidates.
static std::optional<Overall> compareOverall(llvm::ArrayRef<TableValues> tables, const std::string &strategy) {
  Overall overall;
  for (const TableValues &table : tables) {
    auto row = llvm::find_if(table.rows, [&](const RowValues &row) { return row.strategy == strategy; });
    if (row == table.rows.end() || !row->problem.empty() || !table.defaultRow())
      return std::nullopt;
    overall.time += 1 / row->figure("ratio_to_default");
    overall.upper += 1 / row->figure("ratio_lower_quartile");
    overall.trusted &= row->doubts.ratio.empty();
  }
  return overall;
}

/// Returns a line that names the fastest candidate over all sizes of one model; empty if there is nothing to compare.
/// `tables` contains the results for the model, one table for each combination of sizes.
static std::string overallLine(llvm::ArrayRef<TableValues> tables) {
  std::string best, line = tables.front().model;
  double count = double(tables.size()), time = count;
  bool anyOther = false, sure = false;
  for (const RowValues &row : tables.front().rows) {
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
  for (const TableValues &table : tables)
    line += (&table == &tables.front() ? " at " : "; ") + table.sizes;
  return line + ", by the sum of relative times: " +
         (best.empty() ? "the default is the fastest" : aheadText(best, count / time, sure));
}

std::vector<std::string> heddle::bench::overallLines(const ReportValues &report) {
  std::vector<std::string> lines;
  for (llvm::ArrayRef<TableValues> rest = report.tables; !rest.empty();) {
    llvm::ArrayRef<TableValues> same =
        rest.take_while([&](const TableValues &table) { return table.model == rest.front().model; });
    rest = rest.drop_front(same.size());
    std::string line = same.size() > 1 && !same.front().sizes.empty() && !same.front().isCounted ? overallLine(same) : "";
    if (!line.empty())
      lines.push_back(line);
  }
  return lines;
}

Columns heddle::bench::profileColumns(const TableValues &table) {
  Columns columns({0, 1, 2, 8});
  columns.add({"kernel", "op", "strategy", "calls", "time", "share", "rate", "of roof", "shape"});
  const ProfileValues &profile = *table.profile;
  double sum = 0;
  for (const KernelValues &kernel : profile.kernels) {
    double seconds = kernel.figure("call_median");
    sum += seconds;
    std::string rate = kernel.isLimitedByCompute() ? flopsText(kernel.figure("flops_per_second"))
                                                   : bytesText(kernel.figure("bytes_per_second")) + "/s";
    columns.add({kernel.function, kernel.op, kernel.strategy.empty() ? "-" : kernel.strategy,
                 std::to_string(size_t(kernel.figure("calls"))), timeText(seconds),
                 percentText(seconds / profile.total), seconds > 0 ? rate : "-",
                 seconds > 0 ? percentText(kernel.figure("share_of_roof")) + " " + kernel.limitedBy : "-",
                 kernel.shape});
  }
  columns.add({"sum", "", "", "", timeText(sum), percentText(sum / profile.total), "", "", ""});
  double rest = std::max(0.0, profile.total - sum);
  columns.add({"outside kernels", "", "", "", timeText(rest), percentText(rest / profile.total), "", "", ""});
  return columns;
}

/// Formats `all` divided by `requests`, such as "1.5", or "-" if there are no requests.
static std::string eachText(uint64_t all, uint64_t requests) {
  return requests ? digits(double(all) / double(requests), 3) : "-";
}

/// Adds a row of counts. `cells` contains the row's first cells: the candidate, the kernel and its operation. An access
/// to shared memory takes one or more wavefronts, and an access to global memory touches one or more sectors of 32
/// bytes. "wavefronts/request" and "sectors/request" are the average numbers for each access (request).
static void addCounts(Columns &columns, std::vector<std::string> cells, uint64_t launches, const LaunchCounts &counts) {
  for (uint64_t number : {launches, counts.instructions, counts.barriers, counts.sharedWavefronts})
    cells.push_back(std::to_string(number));
  cells.push_back(eachText(counts.sharedWavefronts, counts.sharedRequests));
  cells.push_back(std::to_string(counts.globalSectors));
  cells.push_back(eachText(counts.globalSectors, counts.globalRequests));
  columns.add(std::move(cells));
}

/// Returns the counts of events (instructions, barriers and memory accesses) in launches: for each candidate, a row for
/// each device kernel and a row for their sum.
static Columns countColumns(const TableValues &table) {
  Columns columns({0, 1, 2});
  columns.add({"candidate", "kernel", "op", "launches", "instructions", "barriers", "wavefronts", "wavefronts/request",
               "sectors", "sectors/request"});
  for (const RowValues &row : table.rows) {
    CountValues sum;
    for (const CountValues &kernel : row.counts) {
      addCounts(columns, {row.strategy, kernel.kernel, kernel.op.empty() ? "-" : kernel.op}, kernel.launches,
                kernel.counts);
      sum.launches += kernel.launches;
      sum.counts += kernel.counts;
    }
    if (row.problem.empty())
      addCounts(columns, {row.strategy, "sum", ""}, sum.launches, sum.counts);
  }
  return columns;
}

Columns heddle::bench::candidateColumns(const TableValues &table) {
  return table.isCounted ? countColumns(table) : resultColumns(table);
}
