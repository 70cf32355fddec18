//===- ReportValues.cpp - the values of a JSON report ---------------------===//

#include "ReportValues.h"

namespace json = llvm::json;
using namespace heddle::bench;

/// Returns the numbers of the first run of each family, by "family_index". A run is an element of the array
/// "benchmarks" of the report. The runs of one candidate or kernel are a family.
static std::map<int64_t, Figures> figuresOfFamilies(const json::Array &runs) {
  std::map<int64_t, Figures> families;
  for (const json::Value &run : runs) {
    const json::Object *object = run.getAsObject();
    std::optional<int64_t> family = object ? object->getInteger("family_index") : std::nullopt;
    if (!family || families.count(*family))
      continue;
    Figures &figures = families[*family];
    for (const auto &[name, value] : *object)
      if (std::optional<double> number = value.getAsNumber())
        figures[name.str()] = *number;
  }
  return families;
}

// llvm::json finds these functions by argument-dependent lookup. If an optional member is missing in the report, it
// keeps its initial value.
namespace heddle::bench {

static bool fromJSON(const json::Value &json, Doubts &doubts, json::Path path) {
  json::ObjectMapper object(json, path);
  return object && object.mapOptional("time", doubts.time) && object.mapOptional("share", doubts.share) &&
         object.mapOptional("ratio", doubts.ratio);
}

static bool fromJSON(const json::Value &json, CountValues &kernel, json::Path path) {
  json::ObjectMapper object(json, path);
  LaunchCounts &counts = kernel.counts;
  return object && object.map("kernel", kernel.kernel) && object.mapOptional("op", kernel.op) &&
         object.map("launches", kernel.launches) && object.map("instructions", counts.instructions) &&
         object.map("barriers", counts.barriers) && object.map("shared_requests", counts.sharedRequests) &&
         object.map("shared_wavefronts", counts.sharedWavefronts) &&
         object.map("global_requests", counts.globalRequests) && object.map("global_sectors", counts.globalSectors);
}

static bool fromJSON(const json::Value &json, RowValues &row, json::Path path) {
  json::ObjectMapper object(json, path);
  return object && object.map("strategy", row.strategy) && object.map("default", row.isDefault) &&
         object.map("family_index", row.family) && object.mapOptional("problem", row.problem) &&
         object.mapOptional("doubts", row.doubts) && object.mapOptional("counts", row.counts);
}

static bool fromJSON(const json::Value &json, KernelValues &kernel, json::Path path) {
  json::ObjectMapper object(json, path);
  return object && object.map("function", kernel.function) && object.map("op", kernel.op) &&
         object.map("strategy", kernel.strategy) && object.map("shape", kernel.shape) &&
         object.map("flops", kernel.flops) && object.map("bytes", kernel.bytes) &&
         object.map("limited_by", kernel.limitedBy) && object.map("family_index", kernel.family);
}

static bool fromJSON(const json::Value &json, ProfileValues &profile, json::Path path) {
  json::ObjectMapper object(json, path);
  return object && object.map("seconds", profile.total) && object.map("seconds_without_timers", profile.unprofiled) &&
         object.map("kernels", profile.kernels);
}

static bool fromJSON(const json::Value &json, RoofValues &roof, json::Path path) {
  json::ObjectMapper object(json, path);
  return object && object.map("threads", roof.threads) && object.map("flops_per_second", roof.flops) &&
         object.map("copy_bytes_per_second", roof.copy);
}

static bool fromJSON(const json::Value &json, IneligibleValues &other, json::Path path) {
  json::ObjectMapper object(json, path);
  return object && object.map("strategy", other.strategy) && object.map("reason", other.reason);
}

static bool fromJSON(const json::Value &json, TableValues &table, json::Path path) {
  json::ObjectMapper object(json, path);
  bool isRead = object && object.map("model", table.model) && object.map("sizes", table.sizes) &&
                object.map("device", table.device) && object.map("threads", table.threads) &&
                object.map("callers", table.callers) && object.map("cold_bytes", table.coldBytes) &&
                object.map("counted", table.isCounted) && object.map("flops", table.flops) &&
                object.map("bytes", table.bytes) && object.map("candidates", table.rows) &&
                object.map("ineligible", table.others);
  if (!isRead || table.isCounted)
    return isRead;
  if (!object.map("isa", table.isa) || !object.map("limited_by", table.limitedBy) ||
      !object.map("roof_seconds", table.roofSeconds) || !object.map("bandwidth", table.bandwidth) ||
      !object.map("roofs", table.roofs) || !object.map("compiling_seconds", table.compiling) ||
      !object.map("verifying_seconds", table.verifying) || !object.map("timing_seconds", table.timing) ||
      !object.map("profile", table.profile) || !object.map("host_tensors_seconds", table.hostTensors) ||
      !object.mapOptional("device_tensors", table.hasDeviceTensors))
    return false;
  if (table.roofs.empty())
    path.field("roofs").report("expected a roof");
  return !table.roofs.empty();
}

static bool readContext(const json::Value &context, ReportValues &report, json::Path path) {
  json::ObjectMapper object(context, path);
  return object && object.map("heddle_version", report.version) && object.map("heddle_command", report.commandLine) &&
         object.map("cpu", report.cpu) && object.map("heddle_inputs", report.inputs) &&
         object.map("heddle_repetitions", report.repetitions);
}

static bool fromJSON(const json::Value &json, ReportValues &report, json::Path path) {
  json::ObjectMapper object(json, path);
  if (!object || !object.map("tables", report.tables))
    return false;
  const json::Value *context = json.getAsObject()->get("context");
  const json::Array *runs = json.getAsObject()->getArray("benchmarks");
  if (!context || !runs) {
    path.report("expected the members context and benchmarks");
    return false;
  }
  std::map<int64_t, Figures> families = figuresOfFamilies(*runs);
  for (TableValues &table : report.tables) {
    for (RowValues &row : table.rows)
      row.figures = families[row.family];
    if (table.profile)
      for (KernelValues &kernel : table.profile->kernels)
        kernel.figures = families[kernel.family];
  }
  return readContext(*context, report, path.field("context"));
}

} // namespace heddle::bench

std::optional<double> heddle::bench::figureNamed(const Figures &figures, llvm::StringRef name) {
  auto found = figures.find(name.str());
  return found == figures.end() ? std::nullopt : std::optional(found->second);
}

const RowValues *TableValues::defaultRow() const {
  for (const RowValues &row : rows)
    if (row.isDefault && row.problem.empty())
      return &row;
  return nullptr;
}

llvm::Expected<ReportValues> ReportValues::read(const json::Value &report) {
  ReportValues values;
  json::Path::Root root("report");
  if (!fromJSON(report, values, root))
    return root.getError();
  return values;
}
