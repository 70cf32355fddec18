//===- report_values_test.cpp - formats that are written from JSON --------===//
//
// `heddle bench` writes every format from the JSON report, so a saved JSON report must give the same texts later.
//
//===----------------------------------------------------------------------===//

#include "reports.h"

#include <gtest/gtest.h>

namespace json = llvm::json;
using namespace heddle::bench;

static const std::pair<const char *, Writer> writers[] = {
    {"text", writeText}, {"Markdown", writeMarkdown}, {"CSV", writeCsv}, {"HTML", writeHtml}};

/// Parses the text of a JSON report.
static json::Value parse(const std::string &text) { return llvm::cantFail(json::parse(text)); }

/// Returns the reason why a JSON report cannot be read, or "" if it can be read.
static std::string whyNotRead(const json::Value &report) {
  llvm::Expected<ReportValues> values = ReportValues::read(report);
  return values ? "" : llvm::toString(values.takeError());
}

TEST(ReportValues, AParsedReportGivesTheSameBytesInEveryFormat) {
  for (auto [name, report] : {std::pair("plain", makeReport()),
                              {"range", makeRangeReport()},
                              {"device", makeDeviceReport()},
                              {"counted", makeCountedReport()}}) {
    ReportValues parsed = llvm::cantFail(ReportValues::read(parse(printJson(report))));
    for (auto [format, write] : writers)
      EXPECT_EQ(print(write, parsed), print(write, report)) << name << " as " << format;
  }
}

// A program that compares the candidates of a CSV report must not take the default with tensors on the host for one.
TEST(ReportValues, CsvNamesHostTensorsApart) {
  std::string text = print(writeCsv, makeDeviceReport());
  EXPECT_NE(text.find(",host-tensors/packed,0,1,4,0,6e-05,"), std::string::npos) << text;
}

TEST(ReportValues, NumbersKeepAllDigits) {
  Report report = makeReport();
  report.tables[0].rows[0].time.median = 1.0 / 3e4;
  report.tables[0].profile->rows[0].seconds = 1.0 / 7e5;
  ReportValues values = llvm::cantFail(ReportValues::read(parse(printJson(report))));
  EXPECT_EQ(values.tables[0].rows[0].figure("call_median"), 1.0 / 3e4);
  EXPECT_EQ(values.tables[0].profile->kernels[0].figure("call_median"), 1.0 / 7e5);
  values = llvm::cantFail(ReportValues::read(parse(printJson(makeCountedReport()))));
  EXPECT_EQ(values.tables[0].rows[0].counts[0].counts.instructions, (uint64_t(1) << 53) + 1);
}

TEST(ReportValues, TextOfSeveralSizes) {
  std::string text = print(writeText, makeRangeReport());
  for (const char *line :
       {"linear m=1..8 at m=8\n",
        "  AVX2 roofs: 1 thread FMA 50.0 GFLOP/s, copy 7.00 GB/s from memory; 2 threads FMA 100 GFLOP/s, copy 10.0 "
        "GB/s",
        "packed (default)    40.0 us  44.0 us    5.0%  50.0 GFLOP/s          50.0% ?        1.00             -       "
        "-\n",
        "packed: not to be trusted: share of the roof: the roof changed during the run: its quartiles are 20% apart\n",
        "k1               softmax  -             3  10.0 us  24.4%     24.0 GB/s   37.4% memory  1x2 -> 1x2\n",
        "k2               general  -             1  0.00 ns   0.0%             -              -  1x2 -> 1x2\n",
        "linear m=1..8 at m=1; m=8, by the sum of relative times: fastest is rows, 14.3% faster than the default\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line;
}

TEST(ReportValues, TextOfADeviceAndOfColdCaches) {
  std::string text = print(writeText, makeDeviceReport());
  for (const char *line :
       {"  on vulkan:0 (a driver), tensors on the device, 4 callers, 5 rounds, inputs random, --seed 1\n",
        "with tensors on the host, which are copied in each call: 60.0 us, 1.50 times the time of the default\n",
        "  a GPU roofs: FMA 100 GFLOP/s, copy 10.0 GB/s from memory\n",
        "at best 336 us, by memory at 20.8 GB/s for a launch of this size\n",
        "rows                20000    50.0 us  55.0 us  60.0 us    5.0%  140 GB/s            672%        0.80  0.80 to "
        "0.80",
        "packed: only 4 of 5 repetitions fit into the duration\n",
        "caches cold: 64.0 MB of other memory read before each call\n", "by memory at 98.8 GB/s with cold caches\n",
        "rows        50.0 us  55.0 us    5.0%  6.20 GB/s            6.3%           -          -       -\n",
        "packed: not timed: does not compile: \"x\"\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line;
}

// Reports of earlier versions contain the times of calls that copied tensors to the device and back.
TEST(ReportValues, ReportsOfEarlierVersionsAreOfTensorsOnTheHost) {
  json::Value report = jsonReport(makeDeviceReport());
  json::Object &table = *report.getAsObject()->getArray("tables")->front().getAsObject();
  EXPECT_TRUE(table.erase("device_tensors"));
  EXPECT_TRUE(table.erase("host_tensors_seconds"));
  std::string text = print(writeText, llvm::cantFail(ReportValues::read(report)));
  EXPECT_NE(text.find("  on vulkan:0 (a driver), 4 callers, 5 rounds"), std::string::npos) << text;
  EXPECT_EQ(text.find("tensors on"), std::string::npos) << text;
}

TEST(ReportValues, CountsOfLaunches) {
  std::string text = print(writeText, makeCountedReport());
  EXPECT_NE(text.find("  on cuda-interpreted (an interpreter), launches of one call counted, inputs random, --seed 1\n"
                      "  2.00 MFLOP on 50.0 kB, 40.0 FLOP/byte\n\n"
                      "candidate  kernel      op      launches      instructions  barriers  wavefronts  "
                      "wavefronts/request  sectors  sectors/request\n"
                      "packed     k0_launch0  linear         2  9007199254740993         2          15  "
                      "              1.50       12             4.00\n"
                      "packed     k7_launch0  -              1                 0         0           0  "
                      "                 -        0                -\n"
                      "packed     sum                        3  9007199254740993         2          15  "
                      "              1.50       12             4.00\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("wrong: not counted: out [1, 2] f32: FAIL\n"), std::string::npos);
  EXPECT_EQ(text.find("fastest"), std::string::npos);
}

// Two tables may have the same model name, so the results of a table must not be found by this name alone.
TEST(ReportValues, TablesOfTheSameModelAreReadApart) {
  Report report = makeReport();
  report.tables.push_back(report.tables[0]);
  report.tables[1].roofs[0].flops = 200e9;
  report.tables[1].rows[0].time.median = 1e-3;
  std::string text = print(writeText, report);
  EXPECT_NE(text.find("1 thread FMA 100 GFLOP/s"), std::string::npos);
  EXPECT_NE(text.find("1 thread FMA 200 GFLOP/s"), std::string::npos);
  EXPECT_NE(text.find("packed (default)    40.0 us"), std::string::npos);
  EXPECT_NE(text.find("packed (default)    1.00 ms"), std::string::npos);
}

TEST(ReportValues, AnyNameIsValidInJson) {
  Report report = makeReport();
  report.tables[0].model = "a\x01\n\tmodel \xff";
  report.tables[0].rows[1].strategy = "rows\xff";
  EXPECT_EQ(whyNotRead(parse(printJson(report))), "");
  std::string valid = llvm::json::fixUTF8("a\x01\n\tmodel \xff");
  EXPECT_EQ(valuesOf(report).tables[0].model, valid);
}

TEST(ReportValues, ErrorsNameTheMissingPart) {
  json::Value report = jsonReport(makeReport());
  json::Object &table = *report.getAsObject()->getArray("tables")->front().getAsObject();
  json::Value roofs = table["roofs"];
  table["roofs"] = json::Array();
  EXPECT_EQ(whyNotRead(report), "expected a roof at report.tables[0].roofs");
  table["roofs"] = std::move(roofs);
  EXPECT_EQ(whyNotRead(report), "");
  table["candidates"].getAsArray()->front().getAsObject()->erase("strategy");
  EXPECT_EQ(whyNotRead(report), "missing value at report.tables[0].candidates[0].strategy");
  EXPECT_EQ(whyNotRead(json::Object{{"tables", json::Array()}}),
            "expected the members context and benchmarks when parsing report");
  EXPECT_EQ(whyNotRead(1), "expected object when parsing report");
}
