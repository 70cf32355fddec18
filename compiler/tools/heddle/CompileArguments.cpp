//===- CompileArguments.cpp - options of compilation ----------------------===//

#include "CompileArguments.h"

#include "Numbers.h"

#include "heddle/Devices.h"
#include "heddle/Progress.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace heddle {

void CompileArguments::add(CLI::App &app, ArrayRef<CLI::Option *> without) {
  auto isOne = [](const std::string &text) -> std::string {
    return StringRef(text).contains(',')
               ? "expected one CPU, found '" + text + "'; only 'heddle compile' accepts several"
               : "";
  };
  add(app, without,
      app.add_option("--mcpu", cpu, "NAME: the CPU to compile for, as clang names it; native: the CPU of this machine")
          ->capture_default_str()
          ->check(isOne));
}

void CompileArguments::addForLibrary(CLI::App &app) {
  cpu = "";
  add(app, {},
      app.add_option(
          "--mcpu", cpu,
          "NAME,...: the CPUs to compile for, as clang names them; native: the CPU of this machine (default: "
          "x86-64-v4,x86-64-v3 on x86-64, else native)"));
}

void CompileArguments::add(CLI::App &app, ArrayRef<CLI::Option *> without, CLI::Option *cpus) {
  auto isDevice = [](const std::string &text) -> std::string {
    std::vector<StringRef> names;
    for (const DeviceKind &kind : deviceKinds())
      names.push_back(kind.name);
    for (const InterpretedKind &kind : interpretedKinds())
      names.push_back(kind.name);
    return findDeviceKind(text) ? ""
                                : "device '" + text + "' is not supported; the devices are " + llvm::join(names, ", ");
  };
  std::vector<std::string> forms;
  for (const DeviceKind &kind : deviceKinds())
    forms.push_back((kind.name + kind.selector).str());
  for (const InterpretedKind &kind : interpretedKinds())
    forms.push_back(kind.name.str());
  // --device is not in `options`, because it is also valid with --library: the library may contain code for a device.
  app.add_option("--device", device, "the device that runs the code: " + llvm::join(forms, ", or "))
      ->capture_default_str()
      ->check(isDevice);
  CLI::Option *options[] = {
      app.add_option("--strategy", strategies,
                     "OP=NAME|FILE[:knob=value,...]: lower operations OP with this strategy (repeatable)"),
      cpus,
      app.add_option("--mattr", attributes, "CPU features to add or remove, such as +avx512f,-fma"),
      app.add_option("--target", triple,
                     "the target triple, such as aarch64-linux-gnu (default: the triple of this machine)"),
  };
  for (CLI::Option *option : options)
    for (CLI::Option *other : without)
      option->excludes(other);
}

CLI::Option *CompileArguments::addRunner(CLI::App &app) {
  return app.add_option("--runner", runner,
                        "COMMAND: the command that starts heddle-runner on the target machine, such as 'qemu-aarch64 "
                        "-L DIR heddle-runner'");
}

CompileOptions CompileArguments::options(StringRef name) const {
  CompileOptions options;
  options.name = name.str();
  options.target = {findDeviceKind(device)->name.str(), triple, cpu, attributes};
  options.strategies = strategies;
  return options;
}

void ThreadArguments::add(CLI::App &app) {
  app.add_option("-t,--threads", threads,
                 "N: the number of threads (default: the number of physical cores that this process may use)")
      ->transform(integerBetween(1, 1024));
}

void addSeed(CLI::App &app, uint64_t &seed, CLI::Option *input) {
  app.add_option("--seed", seed, "N: the seed of random inputs")
      ->capture_default_str()
      ->transform(integerBetween(0, UINT64_MAX))
      ->excludes(input);
}

std::unique_ptr<Session> compileAndLoad(MLIRContext &context, Model model, const CompileArguments &arguments) {
  llvm::Expected<DevicePtr> device = openDevice(arguments.device);
  if (!device) {
    printError(device.takeError());
    return nullptr;
  }
  Progress progress("compiling");
  CompileOptions options = arguments.options("model");
  options.embedWeights = options.exportQuery = !arguments.runner.empty();
  options.progress = [&](const std::string &what) { progress.show("compiling: " + what); };
  FailureOr<CompiledModel> compiled = compileModel(std::move(model), options);
  if (failed(compiled))
    return nullptr;
  auto session = arguments.runner.empty() ? loadHere(std::move(*compiled), "model", "", std::move(*device))
                                          : loadElsewhere(context, *compiled, arguments.runner);
  if (!session) {
    printError(session.takeError());
    return nullptr;
  }
  return std::move(*session);
}

} // namespace heddle
