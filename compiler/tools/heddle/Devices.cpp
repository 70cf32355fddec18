//===- Devices.cpp - heddle devices ---------------------------------------===//

#include "Command.h"

#include "heddle/device.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace heddle;

static void printJson(const heddle_device_info &cpu) {
  llvm::json::OStream json(llvm::outs(), 2);
  json.array([&] {
    json.object([&] {
      json.attribute("name", cpu.name);
      json.attribute("description", cpu.description);
      json.attribute("features", cpu.features);
      json.attribute("cores", int64_t(cpu.cores));
      json.attribute("l1_data", int64_t(cpu.l1_data));
      json.attribute("l2", int64_t(cpu.l2));
      json.attribute("l3", int64_t(cpu.l3));
    });
  });
  llvm::outs() << "\n";
}

static void printText(const heddle_device_info &cpu) {
  auto kib = [](uint64_t bytes) { return bytes ? llvm::formatv("{0} KiB", bytes / 1024).str() : std::string("unknown"); };
  llvm::outs() << llvm::formatv("{0}: {1}\n  cores: {2}\n  features: {3}\n  cache: L1 {4}, L2 {5}, L3 {6}\n", cpu.name,
                                cpu.description, cpu.cores, cpu.features, kib(cpu.l1_data), kib(cpu.l2), kib(cpu.l3));
}

void heddle::addDevices(CLI::App &app, int &status) {
  auto json = std::make_shared<bool>(false);
  app.add_flag("--json", *json, "print as JSON");
  app.callback([json] {
    heddle_device_info cpu;
    heddle_cpu_info(&cpu);
    *json ? printJson(cpu) : printText(cpu);
  });
}
