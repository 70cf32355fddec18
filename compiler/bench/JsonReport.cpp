//===- JsonReport.cpp - benchmark results as JSON -------------------------===//
//
// The file has the layout of Google Benchmark (JsonRuns.h) and an additional
// array "tables", which Google's tools ignore.
//
//===----------------------------------------------------------------------===//

#include "JsonReport.h"

#include "JsonRuns.h"
#include "Lines.h"

namespace json = llvm::json;
using namespace heddle::bench;

/// Replaces bytes that are not UTF-8, because JSON cannot represent them.
static std::string validText(const std::string &text) { return json::isUTF8(text) ? text : json::fixUTF8(text); }

static const char *limitText(const RoofLimit &limit) { return limit.compute ? "compute" : "memory"; }

static json::Object doubtsObject(const Doubts &doubts) {
  json::Object object;
  for (auto [figure, why] : {std::pair("time", &doubts.time), {"share", &doubts.share}, {"ratio", &doubts.ratio}})
    if (!why->empty())
      object[figure] = *why;
  return object;
}

static json::Array countsArray(const Table &table, const Row &row) {
  json::Array array;
  for (const KernelCounts &kernel : row.counts) {
    json::Object object{{"kernel", kernel.kernel},
                        {"launches", kernel.launches},
                        {"instructions", kernel.counts.instructions},
                        {"barriers", kernel.counts.barriers},
                        {"shared_requests", kernel.counts.sharedRequests},
                        {"shared_wavefronts", kernel.counts.sharedWavefronts},
                        {"global_requests", kernel.counts.globalRequests},
                        {"global_sectors", kernel.counts.globalSectors}};
    for (const KernelInfo &info : table.kernels)
      if (info.function == modelKernelOf(kernel.kernel))
        object.try_emplace("op", info.op);
    array.push_back(std::move(object));
  }
  return array;
}

/// Returns the object for a candidate (the model compiled with a choice of strategies). `family` is the "family_index"
/// of its runs in the array "benchmarks".
static json::Object rowObject(const Table &table, const Row &row, int64_t family) {
  json::Object object{{"strategy", validText(row.strategy)}, {"default", row.isDefault}, {"family_index", family}};
  if (!row.problem.empty())
    object["problem"] = validText(row.problem);
  else if (table.isCounted)
    object["counts"] = countsArray(table, row);
  else if (Doubts doubts = table.doubts(row); doubts.any())
    object["doubts"] = doubtsObject(doubts);
  return object;
}

static json::Object kernelObject(const Table &table, const KernelInfo &kernel, int64_t family) {
  return json::Object{{"function", kernel.function},
                      {"op", kernel.op},
                      {"strategy", validText(kernel.strategy)},
                      {"shape", kernel.shape},
                      {"flops", kernel.work.flops},
                      {"bytes", kernel.work.bytes()},
                      {"limited_by", limitText(limitOf(table.roof(), kernel.work))},
                      {"family_index", family}};
}

static json::Array roofsArray(const Table &table) {
  json::Array array;
  for (const Roof &roof : table.roofs) {
    json::Object object{{"threads", roof.threads}, {"flops_per_second", roof.flops}};
    if (!roof.bandwidth.empty())
      object["copy_bytes_per_second"] = roof.bandwidth.back().copy;
    array.push_back(std::move(object));
  }
  return array;
}

/// Adds the values that exist only if candidates were timed.
static void addTiming(json::Object &object, const Table &table) {
  object["isa"] = validText(table.isa);
  object["limited_by"] = limitText(table.limit);
  object["roof_seconds"] = table.limit.seconds;
  object["bandwidth"] = table.bandwidth();
  object["roofs"] = roofsArray(table);
  object["compiling_seconds"] = table.expense.compiling;
  object["verifying_seconds"] = table.expense.verifying;
  object["timing_seconds"] = table.expense.timing;
  if (!table.device.empty())
    object["device_tensors"] = true;
  if (table.hostTensors)
    object["host_tensors_seconds"] = *table.hostTensors;
}

static json::Object tableObject(const Table &table, json::Array candidates) {
  json::Array ineligible;
  for (const Ineligible &other : table.others)
    ineligible.push_back(json::Object{{"strategy", validText(other.strategy)}, {"reason", validText(other.reason)}});
  json::Object object{{"model", validText(table.model)},    {"sizes", validText(table.sizes)},
                      {"device", validText(table.device)},  {"threads", table.threads},
                      {"callers", table.callers},           {"cold_bytes", table.coldBytes},
                      {"counted", table.isCounted},         {"flops", table.work.flops},
                      {"bytes", table.work.bytes()},        {"candidates", std::move(candidates)},
                      {"ineligible", std::move(ineligible)}};
  if (!table.isCounted)
    addTiming(object, table);
  return object;
}

static json::Object profileObject(const Table &table, JsonRuns &runs) {
  json::Array kernels;
  for (const ProfileRow &row : table.profile->rows)
    kernels.push_back(kernelObject(table, row.kernel, runs.add(table, row)));
  return json::Object{{"seconds", table.profile->total},
                      {"seconds_without_timers", table.profile->unprofiled},
                      {"kernels", std::move(kernels)}};
}

/// Adds the sentences of the text report. If two sentences have the same key, adds only the first.
static void addSentences(json::Object &context, const ReportValues &report) {
  for (const TableValues &table : report.tables) {
    std::string prefix = report.tables.size() > 1 ? table.name() + ": " : "";
    context.try_emplace(prefix + "conditions", headLines(report, table).front());
    if (!table.isCounted) {
      context.try_emplace(prefix + "roofs", roofLine(table));
      context.try_emplace(prefix + "work", workLine(table));
      context.try_emplace(prefix + "verdict", verdictLine(table));
      if (table.hostTensors)
        context.try_emplace(prefix + "copies", copiesLine(table));
    }
    for (const Remark &remark : remarks(report, table))
      context.try_emplace(prefix + remark.strategy, remark.text);
  }
  for (auto [i, line] : llvm::enumerate(overallLines(report)))
    context.try_emplace("overall " + std::to_string(i + 1), line);
}

json::Value heddle::bench::jsonReport(const Report &report) {
  JsonRuns runs;
  json::Array tables;
  for (const Table &table : report.tables) {
    json::Array candidates;
    for (const Row &row : table.rows)
      candidates.push_back(rowObject(table, row, runs.add(table, row)));
    tables.push_back(tableObject(table, std::move(candidates)));
  }
  for (auto [table, object] : llvm::zip_equal(report.tables, tables))
    if (table.profile)
      (*object.getAsObject())["profile"] = profileObject(table, runs);
  json::Object root = runs.finish();
  json::Object &context = *root.getObject("context");
  context["heddle_version"] = report.version;
  context["heddle_command"] = validText(report.commandLine);
  context["heddle_inputs"] = validText(report.inputs);
  context["heddle_repetitions"] = report.timing.repetitions;
  context["cpu"] = validText(report.cpu);
  root["tables"] = std::move(tables);
  json::Value value(std::move(root));
  addSentences(*value.getAsObject()->getObject("context"), llvm::cantFail(ReportValues::read(value)));
  return value;
}

void heddle::bench::writeJson(const json::Value &report, llvm::raw_ostream &os) {
  json::OStream stream(os, 2);
  stream.object([&] {
    for (const char *key : {"context", "benchmarks", "tables"})
      stream.attribute(key, *report.getAsObject()->get(key));
  });
  stream.flush();
  os << "\n";
}
