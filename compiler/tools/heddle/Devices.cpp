//===- Devices.cpp - heddle devices ---------------------------------------===//

#include "Command.h"

#include "heddle/Devices.h"
#include "heddle/Session.h"
#include "heddle/device.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>

using namespace heddle;

namespace {
/// A GPU or an interpreted device.
struct Gpu {
  std::string name;  // the value for --device, such as "vulkan:0"
  DevicePtr device;  // null if the GPU cannot be used
  std::string error; // the reason why the GPU cannot be used
};
} // namespace

/// Opens the GPUs of all kinds, and then the interpreted devices, which execute device code in software. If this
/// machine has no GPU or no driver of a kind, the result contains no GPU of this kind.
static std::vector<Gpu> openGpus() {
  std::vector<Gpu> gpus;
  char error[512] = "";
  for (size_t number = 0; const char *kind = heddle_device_kind(number); ++number) {
    size_t count = heddle_device_count(kind, error, sizeof error);
    for (size_t i = 0; i < count; ++i) {
      std::string name = std::string(kind) + ":" + std::to_string(i);
      DevicePtr device(heddle_device_open(name.c_str(), error, sizeof error), heddle_device_close);
      gpus.push_back({name, std::move(device), error});
    }
  }
  for (const InterpretedKind &kind : interpretedKinds()) {
    llvm::Expected<DevicePtr> device = openDevice(kind.name);
    if (device)
      gpus.push_back({kind.name.str(), std::move(*device), ""});
    else
      gpus.push_back({kind.name.str(), nullptr, llvm::toString(device.takeError())});
  }
  return gpus;
}

/// Returns the names of the device's features, separated by spaces.
static std::string featuresOf(const heddle_device &device) {
  llvm::SmallVector<llvm::StringRef> names;
  for (unsigned bit = 0; const char *name = heddle_feature_name(bit); ++bit)
    if (device.features >> bit & 1)
      names.push_back(name);
  return llvm::join(names, " ");
}

static void printJson(llvm::json::OStream &json, const heddle_device_info &cpu) {
  json.attribute("name", cpu.name);
  json.attribute("description", cpu.description);
  json.attribute("features", cpu.features);
  json.attribute("cores", int64_t(cpu.cores));
  json.attribute("l1_data", int64_t(cpu.l1_data));
  json.attribute("l2", int64_t(cpu.l2));
  json.attribute("l3", int64_t(cpu.l3));
}

static void printJson(llvm::json::OStream &json, const Gpu &gpu) {
  json.attribute("name", gpu.name);
  if (!gpu.device)
    return json.attribute("error", gpu.error);
  const heddle_device_limits &limits = *gpu.device->limits;
  json.attribute("description", gpu.device->description);
  json.attribute("driver", gpu.device->driver);
  json.attribute("format", gpu.device->format);
  json.attribute("features", featuresOf(*gpu.device));
  for (auto [name, limit] : {std::pair<llvm::StringRef, uint64_t>{"memory", limits.memory},
                             {"memory_size", limits.memory_size},
                             {"alignment", limits.alignment},
                             {"view_size", limits.view_size},
                             {"buffers", limits.buffers},
                             {"workgroup_memory", limits.workgroup_memory},
                             {"workgroup_threads", limits.workgroup_threads},
                             {"subgroup_size", limits.subgroup_size}})
    json.attribute(name, limit);
  json.attributeArray("workgroup_size", [&] { llvm::for_each(limits.workgroup_size, [&](auto n) { json.value(n); }); });
  json.attributeArray("workgroup_count",
                      [&] { llvm::for_each(limits.workgroup_count, [&](auto n) { json.value(n); }); });
}

static void printJson(const heddle_device_info &cpu, const std::vector<Gpu> &gpus) {
  llvm::json::OStream json(llvm::outs(), 2);
  json.array([&] {
    json.object([&] { printJson(json, cpu); });
    for (const Gpu &gpu : gpus)
      json.object([&] { printJson(json, gpu); });
  });
  llvm::outs() << "\n";
}

static std::string kib(uint64_t bytes) { return llvm::formatv("{0} KiB", bytes / 1024); }

static void printText(const heddle_device_info &cpu) {
  auto cache = [](uint64_t bytes) { return bytes ? kib(bytes) : std::string("unknown"); };
  llvm::outs() << llvm::formatv("{0}: {1}\n  cores: {2}\n  features: {3}\n  cache: L1 {4}, L2 {5}, L3 {6}\n", cpu.name,
                                cpu.description, cpu.cores, cpu.features, cache(cpu.l1_data), cache(cpu.l2),
                                cache(cpu.l3));
}

static void printText(const Gpu &gpu) {
  if (!gpu.device) {
    llvm::outs() << llvm::formatv("{0}: cannot be used: {1}\n", gpu.name, gpu.error);
    return;
  }
  const heddle_device_limits &limits = *gpu.device->limits;
  auto mib = [](uint64_t bytes) { return llvm::formatv("{0} MiB", bytes >> 20).str(); };
  llvm::outs() << llvm::formatv("{0}: {1}\n  driver: {2}\n  features: {3}\n", gpu.name, gpu.device->description,
                                gpu.device->driver, featuresOf(*gpu.device));
  llvm::outs() << llvm::formatv(
      "  memory: {0}, at most {1} in one allocation; a kernel can access {2} buffers of at most {3}\n",
      mib(limits.memory), mib(limits.memory_size), limits.buffers, mib(limits.view_size));
  llvm::outs() << llvm::formatv("  workgroup: {0} threads, {1}; sub-group: {2} threads\n", limits.workgroup_threads,
                                kib(limits.workgroup_memory), limits.subgroup_size);
}

void heddle::addDevices(CLI::App &app, int &status) {
  auto json = std::make_shared<bool>(false);
  app.add_flag("--json", *json, "print as JSON");
  app.callback([json] {
    heddle_device_info cpu;
    heddle_cpu_info(&cpu);
    std::vector<Gpu> gpus = openGpus();
    if (*json)
      return printJson(cpu, gpus);
    printText(cpu);
    for (const Gpu &gpu : gpus)
      printText(gpu);
  });
}
