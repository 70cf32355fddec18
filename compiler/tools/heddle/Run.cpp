//===- Run.cpp - heddle run -----------------------------------------------===//

#include "Calls.h"
#include "Inputs.h"
#include "LibraryArguments.h"
#include "ModelArguments.h"
#include "Ranges.h"

#include "heddle/OutputFile.h"
#include "heddle/Safetensors.h"
#include "heddle/Verify.h"
#include "interpreter/Footprint.h"

#include "mlir/IR/MLIRContext.h"

using namespace mlir;
using namespace heddle;

namespace {

struct Arguments {
  ModelArguments model;
  CompileArguments compile;
  LibraryArguments library;
  ThreadArguments threads;
  std::string input, output;
  bool interpret = false;
};

LogicalResult write(MLIRContext &context, func::FuncOp main, ArrayRef<Tensor> outputs, StringRef path) {
  std::vector<std::vector<char>> bytes;
  std::vector<std::pair<std::string, StoredTensor>> tensors;
  for (auto [i, output] : llvm::enumerate(outputs))
    bytes.push_back(output.toBytes());
  for (auto [i, output] : llvm::enumerate(outputs))
    tensors.push_back({resultName(main, i), {output.tensorType(), bytes[i]}});
  return writeSafetensors(context, path, tensors);
}

int runModel(const Arguments &arguments) {
  auto context = createContext();
  if (failed(checkOptions(*context, arguments.compile.options("model"), !arguments.interpret && arguments.compile.runner.empty())))
    return ExitUsage;
  if (failed(checkOutputFile(*context, arguments.output)))
    return ExitBad;
  int status = ExitBad;
  if (arguments.model.precision.isRefusedOn(arguments.compile.device))
    return ExitUsage;
  std::optional<Model> model = arguments.model.import(*context, status, arguments.input);
  if (!model)
    return status;
  WeightStore file;
  // With sizes in ranges, the file says what they are here; what is compiled takes all of them.
  SizeRanges ranges = rangesOf(*model);
  std::optional<Model> compiled;
  SizeValues sizes;
  if (!ranges.empty()) {
    if (failed(readSafetensors(*context, arguments.input, file)))
      return ExitBad;
    auto found = sizesOf(model->module->lookupSymbol<func::FuncOp>("main"), file, arguments.input);
    if (failed(found))
      return ExitBad;
    FailureOr<Point> here = pointAt(*model, ranges, *found);
    if (failed(here))
      return ExitBad;
    sizes = std::move(*found);
    compiled = std::exchange(*model, std::move(here->model));
  }
  // Compilation consumes the model; what follows asks a copy.
  OwningOpRef<ModuleOp> copy = arguments.interpret ? nullptr : model->module->clone();
  auto main = (copy ? *copy : *model->module).lookupSymbol<func::FuncOp>("main");
  TypeRange types[] = {main.getArgumentTypes(), main.getResultTypes()};
  uint64_t inside = arguments.interpret ? peakBytes(main)
                                        : llvm::SaturatingAdd(storedBytes(types[0]), storedBytes(types[1]));
  if (!arguments.model.fits("running",
                            llvm::SaturatingAdd(interpretedBytes(types[0]), interpretedBytes(types[1]), inside)))
    return ExitBad;
  if (ranges.empty() && failed(readSafetensors(*context, arguments.input, file)))
    return ExitBad;
  auto inputs = bindInputs(main, file, arguments.input);
  if (failed(inputs) || failed(checkRanges(main, *inputs, arguments.input)))
    return ExitBad;
  FailureOr<SmallVector<Tensor>> outputs = failure();
  if (arguments.interpret) {
    InterpreterOptions options;
    options.weights = weightsFrom(model->weights);
    outputs = interpret(main, withDefaults(main, *inputs), options);
  } else {
    FailureOr<LoadedCode> code =
        loadCode(*context, std::move(compiled ? *compiled : *model), arguments.library, arguments.compile);
    if (failed(code))
      return ExitBad;
    FailureOr<SizeValues> called = checkInterface(code->session->model(), main, sizesByName(ranges, sizes),
                                                  arguments.library.sourceOf(arguments.compile));
    if (failed(called))
      return ExitBad;
    code->session->setSizes(*called);
    FailureOr<ExecutorPtr> executor = createExecutor(arguments.threads);
    if (failed(executor))
      return ExitBad;
    outputs = call(*code->session, main, *inputs, executor->get());
  }
  return succeeded(outputs) && succeeded(write(*context, main, *outputs, arguments.output)) ? ExitDone : ExitBad;
}

} // namespace

void heddle::addRun(CLI::App &app, int &status) {
  auto arguments = std::make_shared<Arguments>();
  arguments->model.add(app);
  app.add_option("--input", arguments->input,
                 "a .safetensors file with the model's inputs by name, which tells sizes that --dim does not")
      ->required();
  app.add_option("--output", arguments->output, "the .safetensors file to write")->required();
  CLI::Option *interpret = app.add_flag("--interpret", arguments->interpret,
                                        "run the interpreter, in f64, instead of compiled code");
  CLI::Option *library = arguments->library.add(app, "run");
  library->excludes(interpret);
  arguments->compile.add(app, {interpret, library});
  arguments->compile.addRunner(app)->excludes(interpret);
  arguments->threads.add(app);
  app.callback([arguments, &status] { status = runModel(*arguments); });
}
