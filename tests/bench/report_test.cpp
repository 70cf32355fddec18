//===- report_test.cpp - one bench in every format ------------------------===//

#include "bench/Report.h"

#include "llvm/Support/JSON.h"

#include <gtest/gtest.h>

using namespace heddle::bench;

static Row makeRow(const char *name, double median) {
  Row row;
  row.strategy = name;
  row.time = {median, 1.1 * median, 1.2 * median, 0.9 * median, 0.05};
  row.repetitions = {{100, median, median, 100 * median}, {100, 1.02 * median, median, 102 * median}};
  row.callsPerSecond = 1 / median;
  return row;
}

static Report makeReport() {
  Table table;
  table.model = "linear m=1 n=2, \"odd\" <name>";
  table.isa = "AVX2";
  table.work = {2e6, 2e6, 4e4, 1e4};
  table.roofs = {{1, 100e9, {{1e4, 80e9, 160e9}, {1e8, 10e9, 12e9}}}};
  table.limit = limitOf(table.roof(), table.work);
  table.rows = {makeRow("packed", 40e-6), makeRow("rows", 50e-6)};
  table.rows[0].isDefault = true;
  table.rows.push_back(makeRow("wrong", 0));
  table.rows.back().problem = "out [1, 2] f32: FAIL";
  table.others = {{"wide", "needs avx512f, which this CPU lacks"}};
  Profile profile;
  profile.total = 41e-6;
  profile.unprofiled = 40e-6;
  profile.rows = {{{"k0", "linear", "packed", "1x2 -> 1x2", table.work, 1}, 30e-6}};
  table.profile = profile;
  Report report;
  report.version = "1.2.3";
  report.cpu = "a CPU";
  report.inputs = "random, --seed 1";
  report.commandLine = "heddle bench x";
  report.tables = {table};
  return report;
}

static std::string print(void (*write)(const Report &, llvm::raw_ostream &)) {
  std::string text;
  llvm::raw_string_ostream os(text);
  write(makeReport(), os);
  return text;
}

static bool has(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }

TEST(Report, RatiosAndShares) {
  Report report = makeReport();
  const Table &table = report.tables[0];
  EXPECT_FALSE(report.ok());
  EXPECT_DOUBLE_EQ(table.ratio(table.rows[0]), 1);
  EXPECT_DOUBLE_EQ(table.ratio(table.rows[1]), 0.8);
  EXPECT_DOUBLE_EQ(table.share(table.rows[0]), 0.5);
}

TEST(Report, Units) {
  EXPECT_EQ(timeText(1.234e-3), "1.23 ms");
  EXPECT_EQ(timeText(0.9999e-3), "1.00 ms");
  EXPECT_EQ(timeText(45e-9), "45.0 ns");
  EXPECT_EQ(timeText(12), "12.0 s");
  EXPECT_EQ(flopsText(115.2e9), "115 GFLOP/s");
  EXPECT_EQ(bytesText(3.34e6), "3.34 MB");
  EXPECT_EQ(timeText(99.96e-9), "100 ns"); // three digits after rounding, too
  EXPECT_EQ(percentText(0.5), "50.0%");
}

TEST(Report, Text) {
  std::string text = print(writeText);
  EXPECT_TRUE(has(text, "packed (default)  40.0 us  44.0 us"));
  EXPECT_TRUE(has(text, "2.00 MFLOP on 50.0 kB, 40.0 FLOP/byte: at best 20.0 us, by compute at 100 GFLOP/s"));
  EXPECT_TRUE(has(text, "the default is the fastest"));
  EXPECT_TRUE(has(text, "wrong: not timed: out [1, 2] f32: FAIL"));
  EXPECT_TRUE(has(text, "wide: not eligible: needs avx512f"));
  EXPECT_TRUE(has(text, "outside kernels"));
}

TEST(Report, Markdown) {
  std::string text = print(writeMarkdown);
  EXPECT_TRUE(has(text, "| packed (default) | 40.0 us | 44.0 us | 5.0% | 50.0 GFLOP/s | 50.0% | 1.00 |"));
  EXPECT_TRUE(has(text, "* `wide` is not eligible"));
}

/// Fields of a line, where quotes may hold commas.
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

TEST(Report, CsvHasAsManyFieldsInEveryLine) {
  llvm::SmallVector<llvm::StringRef> lines;
  std::string text = print(writeCsv);
  llvm::StringRef(text).trim().split(lines, '\n');
  ASSERT_EQ(lines.size(), 6u); // a heading, three candidates, a kernel, one that is not eligible
  std::vector<std::string> heading = fields(lines[0]);
  for (llvm::StringRef line : lines)
    EXPECT_EQ(fields(line).size(), heading.size()) << line.str();
  EXPECT_EQ(heading[6], "median");
  EXPECT_EQ(fields(lines[1])[6], "4e-05");
  EXPECT_EQ(fields(lines[1]).back(), "ok");
}

TEST(Report, JsonIsGoogleBenchmarks) {
  auto parsed = llvm::json::parse(print(writeJson));
  ASSERT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());
  const llvm::json::Object *root = parsed->getAsObject();
  ASSERT_TRUE(root && root->getObject("context"));
  EXPECT_EQ(root->getObject("context")->getString("heddle_version"), "1.2.3");
  const llvm::json::Array *runs = root->getArray("benchmarks");
  ASSERT_TRUE(runs);
  // Two repetitions and four aggregates for each of two rows, one mistake, one kernel.
  ASSERT_EQ(runs->size(), 14u);
  const llvm::json::Object *first = (*runs)[0].getAsObject();
  EXPECT_EQ(first->getString("name"), "linear m=1 n=2, \"odd\" <name>/packed");
  EXPECT_EQ(first->getString("run_type"), "iteration");
  EXPECT_EQ(first->getString("time_unit"), "ns");
  EXPECT_NEAR(*first->getNumber("real_time"), 40e3, 1e-6);
  EXPECT_NEAR(*first->getNumber("share_of_roof"), 0.5, 1e-9);
  EXPECT_EQ((*runs)[3].getAsObject()->getString("aggregate_name"), "median");
  EXPECT_NEAR(*(*runs)[3].getAsObject()->getNumber("real_time"), 40.4e3, 1e-6);
  EXPECT_EQ((*runs)[12].getAsObject()->getBoolean("error_occurred"), true);
}

TEST(Report, HtmlStandsAlone) {
  std::string text = print(writeHtml);
  EXPECT_TRUE(has(text, "<svg class=\"roofline\""));
  EXPECT_TRUE(has(text, "&lt;name&gt;"));
  EXPECT_FALSE(has(text, "<name>"));
  EXPECT_TRUE(has(text, "prefers-color-scheme: dark"));
  for (const char *outside : {"http", "<link", "<script", "url("})
    EXPECT_FALSE(has(text, outside)) << outside;
}
