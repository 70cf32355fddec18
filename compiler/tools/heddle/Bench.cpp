//===- Bench.cpp - heddle bench -------------------------------------------===//

#include "CompileArguments.h"
#include "ModelArguments.h"
#include "Names.h"
#include "Numbers.h"
#include "SizesAt.h"

#include "bench/Callers.h"
#include "bench/Contest.h"
#include "bench/Formats.h"
#include "bench/JsonReport.h"
#include "bench/Sweep.h"
#include "heddle/Devices.h"
#include "heddle/Inputs.h"
#include "heddle/OutputFile.h"
#include "heddle/Progress.h"
#include "heddle/Safetensors.h"
#include "heddle/Verify.h"
#include "heddle/device.h"
#include "heddle/executor.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"

#include <sched.h>

using namespace mlir;
using namespace heddle;

namespace {

/// The values of the options of `heddle bench`, and the command line for the report. A member without a comment is the
/// value of the option with the same name.
struct BenchCommand {
  ModelArguments model;
  CompileArguments compile;
  ThreadArguments threads;
  std::string input, warmup, duration = "3s", html, tune, commandLine;
  std::vector<std::string> at; // the values of --at, each a text NAME=N,...
  uint64_t seed = 1;
  unsigned repetitions = 9;
  size_t callers = 1, coldBytes = 0; // `coldBytes` is the value of --cold; 0 means that the caches are not emptied
  bool profile = false, json = false, csv = false, markdown = false;
};

/// The maximum value of --cold in bytes. No machine has larger caches.
constexpr size_t largestCold = size_t(16) << 30;

/// The value of --tune without a list of operations.
constexpr char everyOp[] = "all";

std::vector<std::string> splitAtCommas(StringRef text) {
  SmallVector<StringRef> parts;
  text.split(parts, ',', -1, false);
  return {parts.begin(), parts.end()};
}

/// Parses a text such as "200ms", "3s" or "50us" and returns the seconds. Returns nullopt for an invalid text.
std::optional<double> parseDuration(StringRef text) {
  static constexpr std::pair<StringLiteral, double> units[] = {{"us", 1e-6}, {"ms", 1e-3}, {"min", 60}, {"s", 1}};
  for (auto [unit, seconds] : units) {
    StringRef number = text;
    double value;
    if (number.consume_back(unit) && !number.getAsDouble(value) && value > 0 && value <= 86400)
      return value * seconds;
  }
  return std::nullopt;
}

std::string checkDuration(const std::string &text) {
  return parseDuration(text)
             ? ""
             : "'" + text + "' is not a duration: expected a number and a unit (us, ms, s or min), such as 200ms";
}

/// Creates a thread pool and pins the calling thread to the core on which it runs. The pool pins each worker to a core
/// of its own. If the calling thread were not pinned, it and a worker could share a core.
FailureOr<ExecutorPtr> createPinned(size_t threads) {
  FailureOr<ExecutorPtr> executor = failure();
  int before = -1;
  // The pool leaves free the core on which the caller runs while the pool is created. If the operating system moves the
  // caller to another core in this time, create another pool.
  for (int attempt = 0; attempt < 5 && (!attempt || sched_getcpu() != before); ++attempt) {
    before = sched_getcpu();
    executor = createExecutor(threads);
    if (failed(executor))
      return failure();
  }
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (before >= 0) {
    CPU_SET(before, &mask);
    sched_setaffinity(0, sizeof mask, &mask);
  }
  return executor;
}

FailureOr<std::vector<std::optional<Tensor>>> readInputs(const BenchCommand &arguments, const WeightStore &file,
                                                         func::FuncOp main) {
  if (arguments.input.empty()) {
    auto random = randomInputs(main, arguments.seed);
    if (failed(random))
      return failure();
    return std::vector<std::optional<Tensor>>(random->begin(), random->end());
  }
  auto inputs = bindInputs(main, file, arguments.input);
  if (failed(inputs) || failed(checkRanges(main, *inputs, arguments.input)))
    return failure();
  return inputs;
}

/// Returns the model at each combination of sizes at which it is timed: the combinations of the sizes of --at, or the
/// sizes of the input file. Sets `wrongUsage` if the error is in the command line.
FailureOr<std::vector<Point>> choosePoints(const BenchCommand &arguments, const WeightStore &file, const Model &model,
                                           bool &wrongUsage) {
  SizeRanges ranges = rangesOf(model);
  FailureOr<std::vector<SizeValues>> choices = failure();
  if (arguments.input.empty()) {
    choices = sizesAt(ranges, model.classes, arguments.at);
    wrongUsage = failed(choices);
  } else if (auto found = sizesOf(model.main(), file, arguments.input); succeeded(found)) {
    choices = std::vector<SizeValues>{*found};
  }
  if (failed(choices))
    return failure();
  std::vector<Point> points;
  for (const SizeValues &values : *choices) {
    FailureOr<Point> point = pointAt(model, ranges, values);
    if (failed(point))
      return failure();
    points.push_back(std::move(*point));
  }
  return points;
}

/// Times one model, or a quoted operation at one size of a list (such as s=128,512), and adds its tables to the report.
/// Returns the exit status.
int benchOne(const BenchCommand &arguments, const ModelArguments &modelArguments, bench::ContestOptions options,
             bench::Report &report) {
  auto context = createContext();
  int status = ExitBad;
  std::optional<Model> model = modelArguments.import(*context, status, arguments.input);
  if (!model)
    return status;
  if (refuseStates(*model, "bench"))
    return ExitBad;
  if (arguments.profile && !model->classes.empty()) {
    llvm::errs() << "heddle: error: --profile supports only one class of sizes, found several ('"
                 << model->classes.front().name << "' and others): give a single range\n";
    return ExitUsage;
  }
  WeightStore file;
  if (!arguments.input.empty() && failed(readSafetensors(*context, arguments.input, file)))
    return ExitBad;
  bool wrongUsage = false;
  FailureOr<std::vector<Point>> points = choosePoints(arguments, file, *model, wrongUsage);
  if (failed(points))
    return wrongUsage ? ExitUsage : ExitBad;
  std::vector<bench::Occasion> occasions;
  for (const Point &point : *points) {
    if (!modelArguments.fits("timing", comparisonBytes(point.main(), 1, arguments.callers)))
      return ExitBad;
    auto inputs = readInputs(arguments, file, point.main());
    if (failed(inputs))
      return ExitBad;
    std::vector<Tensor> values = withDefaults(point.main(), *inputs);
    occasions.push_back({point.name, point.sizes, &point.model, std::move(*inputs), std::move(values)});
  }
  Progress progress;
  options.progress = [&](const std::string &what) { progress.show(modelArguments.model + ": " + what); };
  FailureOr<std::vector<bench::Table>> tables = bench::runContest(*model, occasions, options, wrongUsage);
  if (failed(tables))
    return wrongUsage ? ExitUsage : ExitBad;
  for (bench::Table &table : *tables) {
    table.model = modelArguments.model;
    report.tables.push_back(std::move(table));
  }
  return ExitDone;
}

/// On an interpreted device (an interpreter that runs a GPU's code), `bench` counts the events of launches, such as
/// memory accesses, instead of measuring times. Returns the reason why the arguments do not allow this, or "" if they
/// do.
std::string whyNotCounted(const BenchCommand &arguments) {
  if (!arguments.profile)
    return "the times of an interpreter say nothing about a GPU; use --profile, which counts the events of kernel "
           "launches";
  for (auto [name, isGiven] : {std::pair("--callers", arguments.callers > 1), {"--json", arguments.json},
                               {"--csv", arguments.csv}, {"--html", !arguments.html.empty()}})
    if (isGiven)
      return std::string(
                 "bench only counts the events of kernel launches and prints them as text or Markdown; remove ") +
             name;
  return "";
}

/// Implements `heddle bench`. Returns the exit status.
int benchModel(BenchCommand &arguments) {
  bench::ContestOptions options;
  options.field.compile = arguments.compile.options("model");
  if (options.field.compile.target.device != hostDevice && arguments.coldBytes) {
    llvm::errs() << "heddle: error: --cold: not supported on devices, whose caches the host cannot empty\n";
    return ExitUsage;
  }
  options.field.compile.strategies.clear();
  options.count = isInterpreted(arguments.compile.device);
  if (std::string reason = options.count ? whyNotCounted(arguments) : ""; !reason.empty()) {
    llvm::errs() << "heddle: error: --device " << arguments.compile.device << ": " << reason << "\n";
    return ExitUsage;
  }
  auto context = createContext();
  if (failed(checkOptions(*context, options.field.compile, /*runsHere=*/true)) ||
      failed(arguments.model.precision.fitDevice(*context, arguments.compile.device)))
    return ExitUsage;
  if (failed(checkOutputFile(*context, arguments.html)))
    return ExitBad;
  options.field.strategies = arguments.compile.strategies;
  options.field.tune = !arguments.tune.empty();
  if (arguments.tune != everyOp)
    options.field.tunedOps = splitAtCommas(arguments.tune);
  double duration = *parseDuration(arguments.duration);
  options.timing = {parseDuration(arguments.warmup).value_or(duration / 15), duration, arguments.repetitions};
  options.callers = arguments.callers;
  options.coldBytes = arguments.coldBytes;
  options.profile = arguments.profile;
  llvm::Expected<DevicePtr> device = openDevice(arguments.compile.device);
  if (!device) {
    printError(device.takeError());
    return ExitBad;
  }
  options.device = std::move(*device);
  // With several callers, each call runs on the caller's thread, unless --threads is given. A pool for each caller
  // would only compete for the cores.
  size_t threads = arguments.threads.threads;
  bool alone = arguments.callers == 1;
  // Code for a device needs no pool. Moreover, a driver that executes kernels in software starts threads of its own.
  // These threads would inherit the restriction to one core if the caller were pinned.
  if (options.device || (!alone && !threads))
    threads = 1;
  FailureOr<ExecutorPtr> executor = alone && !options.device ? createPinned(threads) : createExecutor(threads);
  threads = std::min(arguments.callers, heddle_physical_cores());
  FailureOr<ExecutorPtr> callersExecutor = alone ? ExecutorPtr() : createExecutor(threads);
  if (failed(executor) || failed(callersExecutor) || !bench::canStartThreads(arguments.callers - 1))
    return ExitBad;
  options.executor = executor->get();
  options.roofExecutor = alone ? executor->get() : callersExecutor->get();

  bench::Report report;
  heddle_device_info cpu;
  heddle_cpu_info(&cpu);
  report.cpu = cpu.description;
  report.version = HEDDLE_VERSION;
  report.target = arguments.compile.cpu;
  report.commandLine = arguments.commandLine;
  report.inputs = arguments.input.empty() ? "random, --seed " + std::to_string(arguments.seed)
                                          : "from " + arguments.input;
  report.timing = options.timing;
  std::vector<std::string> models = {arguments.model.model};
  if (isOperation(arguments.model.model))
    models = bench::expandSweep(arguments.model.model);
  for (const std::string &model : models) {
    ModelArguments one = arguments.model;
    one.model = model;
    if (int status = benchOne(arguments, one, options, report))
      return status;
  }
  llvm::json::Value json = bench::jsonReport(report);
  bench::ReportValues values = llvm::cantFail(bench::ReportValues::read(json));
  if (arguments.json)
    bench::writeJson(json, llvm::outs());
  else if (arguments.csv)
    bench::writeCsv(values, llvm::outs());
  else if (arguments.markdown)
    bench::writeMarkdown(values, llvm::outs());
  else
    bench::writeText(values, llvm::outs());
  if (!arguments.html.empty() &&
      failed(writeOutputFile(*context, arguments.html, [&](llvm::raw_ostream &os) { bench::writeHtml(values, os); })))
    return ExitBad;
  return report.ok() ? ExitDone : ExitBad;
}

} // namespace

void heddle::addBench(CLI::App &app, int &status) {
  auto arguments = std::make_shared<BenchCommand>();
  arguments->model.add(app);
  arguments->compile.add(app);
  arguments->threads.add(app);
  auto *input = app.add_option(
      "--input", arguments->input,
      "FILE: a .safetensors file with the inputs, whose shapes determine the sizes that --dim does not set (default: "
      "random inputs)");
  addSeed(app, arguments->seed, input);
  addAt(app, arguments->at, input);
  app.add_option("--warmup", arguments->warmup,
                 "how long each candidate runs before it is timed (default: a 15th of the duration)")
      ->check(checkDuration);
  app.add_option("--duration", arguments->duration,
                 "how long each candidate runs in all its repetitions; repetitions that do not fit into this time are "
                 "omitted. Measuring the machine's peak rates takes at most the same time")
      ->capture_default_str()
      ->check(checkDuration);
  app.add_option("--repetitions", arguments->repetitions, "the maximum number of measurements of each candidate")
      ->capture_default_str()
      ->transform(integerBetween(1, 10000));
  app.add_flag("--tune{" + std::string(everyOp) + "}", arguments->tune,
               "also try all values of all knobs of the eligible strategies; --tune=OP,...: only for these operations");
  std::vector<StringRef> interpreted;
  for (const InterpretedKind &kind : interpretedKinds())
    interpreted.push_back(kind.name);
  app.add_flag("--profile", arguments->profile,
               "report the time of each kernel of the default candidate; on " + llvm::join(interpreted, " or ") +
                   ", count the events (instructions, memory accesses) of each candidate's kernel launches");
  auto *callers =
      app.add_option("--callers", arguments->callers, "N: call from N threads at once and report calls per second")
          ->capture_default_str()
          ->transform(integerBetween(1, 1024));
  app.add_flag("--cold{64MB}", arguments->coldBytes,
               "time with cold caches: each thread reads 64 MB of other memory before each call; --cold=BYTES (with "
               "KB, MB, GiB, ...) sets another amount")
      ->excludes(callers)
      ->transform(bytesBetween(1, largestCold));
  auto *json = app.add_flag("--json", arguments->json, "print JSON in the format of Google Benchmark");
  auto *csv = app.add_flag("--csv", arguments->csv, "print comma-separated values")->excludes(json);
  app.add_flag("--markdown", arguments->markdown, "print Markdown")->excludes(json)->excludes(csv);
  app.add_option("--html", arguments->html,
                 "FILE: write an HTML page with a roofline plot and a bar chart to this file");
  app.callback([arguments, &app, &status] {
    arguments->commandLine = commandLineOf(app);
    status = benchModel(*arguments);
  });
}
