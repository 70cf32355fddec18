//===- report_test.cpp - benchmark reports in every format ----------------===//
//
// The tests write the report of reports.h as text, Markdown, CSV, JSON and HTML, and compare parts with expected texts.
//
//===----------------------------------------------------------------------===//

#include "reports.h"

#include "bench/Lines.h"
#include "bench/Units.h"

#include <gtest/gtest.h>

using namespace heddle::bench;

static bool has(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }

TEST(Report, RatiosAndShares) {
  Report report = makeReport();
  const Table &table = report.tables[0];
  EXPECT_FALSE(report.ok());
  EXPECT_DOUBLE_EQ(table.ratio(table.rows[0]).rounds.median, 1);
  EXPECT_DOUBLE_EQ(table.ratio(table.rows[1]).rounds.median, 0.8);
  EXPECT_FALSE(table.doubts(table.rows[1]).any());
  EXPECT_DOUBLE_EQ(table.share(table.rows[0]), 0.5);
}

TEST(Report, DoubtsNameTheFigureAndTheReason) {
  Report report = makeReport();
  Table &table = report.tables[0];
  EXPECT_EQ(table.doubts(table.rows[2]).text(), "time: half of the rounds take between 55.0 us and 70.0 us; "
                                                "ratio: only 3 rounds");
  table.roofs[0].flopsChange = 0.2;
  EXPECT_EQ(table.doubts(table.rows[0]).text(),
            "share of the roof: the roof changed during the run: its quartiles are 20% apart");
  table.roofs[0].bandwidth[0].readChange = 0.3; // the bandwidth for data in caches
  EXPECT_EQ(table.roof().doubt(false, 1e4), "the roof changed during the run: its quartiles are 30% apart");
  EXPECT_EQ(table.roof().doubt(false, 1e8), "");
}

// The lead of a candidate over the default is certain if it exceeds the differences between rounds, and if the
// candidate also leads by the shortest times.
TEST(Report, ACandidateIsTheFastestOnlyIfItsLeadIsCertain) {
  Report report = makeReport();
  Table &table = report.tables[0];
  table.rows[1].rounds = {{30e-6, 30e-6, 30e-6, 30e-6, 30e-6}, 27e-6};
  auto verdict = [&] { return verdictLine(valuesOf(report).tables[0]); };
  EXPECT_EQ(verdict(), "fastest is rows, 33.3% faster than the default");
  table.rows[1].rounds.best = 36e-6;
  EXPECT_EQ(verdict(), "rows is ahead of the default by 33.3%, which may be due to chance");
  table.rows[1].rounds = {{39e-6, 39e-6, 39e-6, 41e-6, 41e-6}, 35e-6};
  EXPECT_EQ(verdict(), "rows is ahead of the default by 2.6%, which may be due to chance");
}

TEST(Report, Units) {
  EXPECT_EQ(timeText(1.234e-3), "1.23 ms");
  EXPECT_EQ(timeText(0.9999e-3), "1.00 ms");
  EXPECT_EQ(timeText(45e-9), "45.0 ns");
  EXPECT_EQ(timeText(12), "12.0 s");
  EXPECT_EQ(flopsText(115.2e9), "115 GFLOP/s");
  EXPECT_EQ(bytesText(3.34e6), "3.34 MB");
  EXPECT_EQ(timeText(99.96e-9), "100 ns"); // three digits, not 100.0
  EXPECT_EQ(percentText(0.5), "50.0%");
}

TEST(Report, Text) {
  std::string text = print(writeText, makeReport());
  EXPECT_TRUE(has(text, "packed (default)    40.0 us  44.0 us"));
  EXPECT_TRUE(has(text, "noisy             60.0 us ?  66.0 us    5.0%  33.3 GFLOP/s            33.3%      0.67 ?"));
  EXPECT_TRUE(has(text, "noisy: only 3 of 5 repetitions fit into the duration; not to be trusted: time: half of"));
  EXPECT_TRUE(has(text, "took 3.50 s: compiling 500 ms, verifying 1.00 s, timing 2.00 s"));
  EXPECT_TRUE(has(text, "2.00 MFLOP on 50.0 kB, 40.0 FLOP/byte: at best 20.0 us, by compute at 100 GFLOP/s"));
  EXPECT_TRUE(has(text, "the default is the fastest"));
  EXPECT_TRUE(has(text, "wrong: not timed: out [1, 2] f32: FAIL"));
  EXPECT_TRUE(has(text, "wide: not eligible: needs avx512f"));
  EXPECT_TRUE(has(text, "outside kernels"));
}

TEST(Report, Markdown) {
  std::string text = print(writeMarkdown, makeReport());
  EXPECT_TRUE(has(text, "| packed (default) | 40.0 us | 44.0 us | 5.0% | 50.0 GFLOP/s | 50.0% | 1.00 | - | - |"));
  EXPECT_TRUE(has(text, "* `wide`: not eligible: needs"));
}

/// Splits a line of CSV into its fields. A quoted field may contain commas.
static std::vector<std::string> fields(llvm::StringRef line) {
  std::vector<std::string> result = {""};
  bool quoted = false;
  for (char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      result.emplace_back();
    else
      result.back() += c;
  }
  return result;
}

TEST(Report, EveryCsvLineHasAsManyFieldsAsTheHeading) {
  llvm::SmallVector<llvm::StringRef> lines;
  std::string text = print(writeCsv, makeReport());
  llvm::StringRef(text).trim().split(lines, '\n');
  // The lines are a heading, four candidates, a kernel, and an ineligible strategy.
  ASSERT_EQ(lines.size(), 7u);
  std::vector<std::string> heading = fields(lines[0]);
  for (llvm::StringRef line : lines)
    EXPECT_EQ(fields(line).size(), heading.size()) << line.str();
  EXPECT_EQ(heading[6], "median");
  EXPECT_EQ(fields(lines[1])[6], "4e-05");
  EXPECT_EQ(heading[25], "status");
  EXPECT_EQ(fields(lines[1])[25], "ok");
  EXPECT_EQ(fields(lines[1]).back(), "cpu");
  EXPECT_EQ(heading[17], "ratio_to_default");
  EXPECT_EQ(fields(lines[2])[17], "0.8");
  EXPECT_EQ(heading[22], "doubt");
  EXPECT_EQ(fields(lines[2])[22], "");
  EXPECT_NE(fields(lines[3])[22], "");
}

TEST(Report, JsonHasTheFormatOfGoogleBenchmark) {
  auto parsed = llvm::json::parse(printJson(makeReport()));
  ASSERT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());
  const llvm::json::Object *root = parsed->getAsObject();
  ASSERT_TRUE(root && root->getObject("context"));
  EXPECT_EQ(root->getObject("context")->getString("heddle_version"), "1.2.3");
  const llvm::json::Array *runs = root->getArray("benchmarks");
  ASSERT_TRUE(runs);
  // There are two repetitions and four aggregates for each of three rows, one failed candidate, and one kernel.
  ASSERT_EQ(runs->size(), 20u);
  const llvm::json::Object *first = (*runs)[0].getAsObject();
  EXPECT_EQ(first->getString("name"), "linear m=1 n=2, \"odd\" <name>/packed");
  EXPECT_EQ(first->getString("run_type"), "iteration");
  EXPECT_EQ(first->getString("time_unit"), "ns");
  EXPECT_NEAR(*first->getNumber("real_time"), 40e3, 1e-6);
  EXPECT_NEAR(*first->getNumber("share_of_roof"), 0.5, 1e-9);
  EXPECT_EQ(first->getNumber("trusted"), 1);
  const llvm::json::Object *second = (*runs)[7].getAsObject();
  EXPECT_NEAR(*second->getNumber("ratio_to_default"), 0.8, 1e-9);
  EXPECT_NEAR(*second->getNumber("ratio_in_round"), 0.8, 1e-9);
  EXPECT_NEAR(*second->getNumber("ratio_of_minima"), 0.8, 1e-9);
  EXPECT_EQ((*runs)[12].getAsObject()->getNumber("trusted"), 0);
  EXPECT_NE(root->getObject("context")->getString("noisy")->find("only 3 rounds"), llvm::StringRef::npos);
  EXPECT_EQ((*runs)[3].getAsObject()->getString("aggregate_name"), "median");
  EXPECT_NEAR(*(*runs)[3].getAsObject()->getNumber("real_time"), 40.4e3, 1e-6);
  EXPECT_EQ((*runs)[18].getAsObject()->getBoolean("error_occurred"), true);
}

TEST(Report, CsvHasTheNumbersOfJson) {
  auto parsed = llvm::json::parse(printJson(makeReport()));
  ASSERT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());
  const llvm::json::Array &runs = *parsed->getAsObject()->getArray("benchmarks");
  llvm::SmallVector<llvm::StringRef> lines;
  std::string text = print(writeCsv, makeReport());
  llvm::StringRef(text).trim().split(lines, '\n');
  std::vector<std::string> heading = fields(lines[0]);
  // The first repetition of each candidate, and the kernel, are compared.
  for (auto [line, run] : {std::pair(1, 0), {2, 6}, {3, 12}, {5, 19}}) {
    const llvm::json::Object &values = *runs[size_t(run)].getAsObject();
    std::vector<std::string> cells = fields(lines[size_t(line)]);
    unsigned found = 0;
    for (auto [column, name] :
         {std::pair("median", "call_median"), {"p90", "call_p90"}, {"p99", "call_p99"}, {"best", "call_best"},
          {"spread", "call_spread"}, {"calls_per_second", "calls_per_second"}, {"roof_seconds", "roof_seconds"},
          {"flops_per_second", line == 5 ? "flops_per_second" : "call_flops_per_second"},
          {"bytes_per_second", line == 5 ? "bytes_per_second" : "call_bytes_per_second"},
          {"share_of_roof", line == 5 ? "share_of_roof" : "call_share_of_roof"}, {"ratio_to_default", "ratio_to_default"},
          {"lower_quartile", "ratio_lower_quartile"}, {"upper_quartile", "ratio_upper_quartile"},
          {"ratio_of_minima", "ratio_of_minima"}, {"rounds", "rounds"}, {"code_bytes", "code_bytes"},
          {"arena_bytes", "arena_bytes"}}) {
      const std::string &cell = cells[size_t(llvm::find(heading, column) - heading.begin())];
      std::optional<double> value = values.getNumber(name);
      ASSERT_EQ(value.has_value(), !cell.empty()) << lines[size_t(line)].str() << ": " << column;
      if (value)
        EXPECT_NEAR(std::stod(cell), *value, 1e-5 * std::abs(*value)) << column;
      found += value.has_value();
    }
    EXPECT_EQ(found, line == 5 ? 5u : 17u);
  }
}

TEST(Report, HtmlRefersToNoOtherFiles) {
  std::string text = print(writeHtml, makeReport());
  EXPECT_TRUE(has(text, "<svg class=\"roofline\""));
  EXPECT_TRUE(has(text, "&lt;name&gt;"));
  EXPECT_FALSE(has(text, "<name>"));
  EXPECT_TRUE(has(text, "prefers-color-scheme: dark"));
  EXPECT_TRUE(has(text, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"results\"><table>"));
  EXPECT_TRUE(has(text, "aria-label=\"kernels\"><table>"));
  for (const char *outside : {"http", "<link", "<script", "url("})
    EXPECT_FALSE(has(text, outside)) << outside;
}

static size_t count(llvm::StringRef text, const char *part) { return text.count(part); }

TEST(Report, HtmlMarksThe90thPercentileOfEachRow) {
  Report report = makeReport();
  auto page = [&] { return print(writeHtml, report); };
  EXPECT_EQ(count(page(), "<i style=\"left:"), 3u); // the failed candidate has no time and therefore no mark
  EXPECT_FALSE(has(page(), "class=\"beyond\""));
  EXPECT_TRUE(has(page(), "90th percentile (mark)</h3>"));
  report.tables[0].rows[1].time.p90 = 3 * report.tables[0].rows[1].time.median; // the scale ends at 2 x 50 us
  EXPECT_EQ(count(page(), "<i style=\"left:"), 2u);
  EXPECT_EQ(count(page(), "<i class=\"beyond\"></i>"), 1u);
  EXPECT_TRUE(has(page(), "90th percentile (mark; arrow: beyond the end)</h3>"));
  // A longer time in another row extends the scale. The percentile then lies within the scale and needs no arrow.
  report.tables[0].rows[2].time.median = 90e-6;
  report.tables[0].rows[2].time.p90 = 170e-6;
  EXPECT_EQ(count(page(), "<i style=\"left:"), 3u);
  EXPECT_FALSE(has(page(), "class=\"beyond\""));
}

TEST(Report, HtmlOfANarrowPageNamesTheColumnOfEachCell) {
  std::string text = print(writeHtml, makeReport());
  EXPECT_EQ(count(text, "<td data-column=\"p90\">"), 3u);
  EXPECT_EQ(count(text, "<td"), count(text, " data-column=\""));
  EXPECT_TRUE(has(text, "td::before { content: attr(data-column);"));
}

/// Makes a row of five rounds, each of which takes `seconds`.
static Row makeSteadyRow(const char *name, double seconds) {
  Row row = makeRow(name, seconds);
  row.rounds = {std::vector<double>(5, seconds), seconds};
  return row;
}

TEST(Report, TheVerdictCombinesAllSizesOfARange) {
  Report report = makeReport();
  Table &table = report.tables[0];
  EXPECT_EQ(table.name(), table.model);
  EXPECT_TRUE(overallLines(valuesOf(report)).empty());
  table.model = "linear m=1..8";
  table.sizes = "m=1";
  EXPECT_EQ(table.name(), "linear m=1..8 at m=1");
  table.rows = {makeSteadyRow("packed", 10e-6), makeSteadyRow("other", 5e-6), makeSteadyRow("third", 1e-6)};
  table.rows[0].isDefault = true;
  report.tables.push_back(table);
  Table &second = report.tables[1];
  second.sizes = "m=8";
  second.rows = {makeSteadyRow("packed", 1e-3), makeSteadyRow("other", 1.1e-3), makeSteadyRow("third", 0)};
  second.rows[0].isDefault = true;
  second.rows[2].problem = "wrong";
  // "other" takes 0.5 and 1.1 times as long as the default at the two sizes. Its sum of relative times, 1.6, is
  // therefore smaller than the default's, 2, although its sum of times is larger. "third" is not considered, because
  // its result is wrong.
  EXPECT_EQ(overallLines(valuesOf(report)),
            std::vector<std::string>({"linear m=1..8 at m=1; m=8, by the sum of relative times: "
                                      "fastest is other, 25.0% faster than the default"}));
  second.rows[1] = makeSteadyRow("other", 2e-3);
  EXPECT_EQ(overallLines(valuesOf(report)),
            std::vector<std::string>({"linear m=1..8 at m=1; m=8, by the sum of relative times: "
                                      "the default is the fastest"}));
  for (const std::string &text :
       {print(writeText, report), print(writeMarkdown, report), print(writeHtml, report), printJson(report)}) {
    EXPECT_TRUE(has(text, "by the sum of relative times: the default is the fastest"));
    EXPECT_TRUE(has(text, "linear m=1..8 at m=8"));
  }
}
