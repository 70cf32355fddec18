//===- Run.cpp - heddle run -----------------------------------------------===//

#include "LibraryArguments.h"
#include "ModelArguments.h"
#include "Numbers.h"
#include "RunGenerate.h"

#include "heddle/Calls.h"
#include "heddle/InputFile.h"
#include "heddle/Inputs.h"
#include "heddle/OutputFile.h"
#include "heddle/Safetensors.h"
#include "heddle/StateMemory.h"
#include "heddle/Verify.h"
#include "interpreter/Footprint.h"

#include "States.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace heddle;

namespace {

/// The values of the options of `heddle run`.
struct RunCommand {
  ModelArguments model;
  CompileArguments compile;
  LibraryArguments library;
  ThreadArguments threads;
  std::string input, output, state; // names of files; `state` is the value of --state-file
  bool interpret = false;
  int64_t generate = 0;           // the number of tokens to generate; 0 without --generate
  std::vector<std::string> stops; // the values of --stop
};

/// Writes the outputs of `main` to the .safetensors file `path`.
LogicalResult write(MLIRContext &context, func::FuncOp main, ArrayRef<Tensor> outputs, StringRef path) {
  std::vector<std::vector<char>> bytes;
  std::vector<std::pair<std::string, StoredTensor>> tensors;
  for (auto [i, output] : llvm::enumerate(outputs))
    bytes.push_back(output.toBytes());
  for (auto [i, output] : llvm::enumerate(outputs))
    tensors.push_back({outputPorts(main)[i].name, {output.tensorType(), bytes[i]}});
  return writeSafetensors(context, path, tensors);
}

/// Calls a model that has a state. The call starts from the state in the file `path` (--state-file) if the file exists.
/// Sets `after` to a temporary file with the new state, which replaces `path` when the caller calls keep(). The caller
/// must not call keep() before the outputs are written. If writing them fails, the user repeats the command, which must
/// start from the old state.
FailureOr<SmallVector<Tensor>> callWithState(Session &session, func::FuncOp main,
                                             ArrayRef<std::optional<Tensor>> inputs, const heddle_executor *executor,
                                             const std::string &path, std::unique_ptr<OutputFile> &after) {
  StateMemory memory(session);
  auto refuse = [&](const Twine &reason) {
    llvm::errs() << (path.empty() ? "heddle" : path) << ": error: " << reason << "\n";
    return failure();
  };
  if (!path.empty() && session.model().device)
    return refuse("--state-file: not supported on a device, whose memory holds the state");
  bool isThere = !path.empty() && llvm::sys::fs::exists(path);
  if (isThere) {
    auto file = readRegularFile(path);
    if (!file)
      return refuse(llvm::toString(file.takeError()));
    if ((*file)->getBufferSize() != memory.bytes().size())
      return refuse("expected a file with a state of " + Twine(memory.bytes().size()) + " bytes, found a file of " +
                    Twine((*file)->getBufferSize()) + " bytes");
    llvm::copy((*file)->getBuffer(), memory.bytes().begin());
  } else if (heddle_status status = memory.init()) {
    return refuse(heddle_status_text(status));
  }
  FailureOr<SmallVector<Tensor>> outputs = call(session, main, inputs, executor, &memory.get());
  if (failed(outputs) && isThere)
    return refuse("the call could not continue from the state in this file");
  if (failed(outputs) || path.empty())
    return outputs;
  FailureOr<std::unique_ptr<OutputFile>> file = OutputFile::create(*main.getContext(), path);
  if (failed(file))
    return failure();
  after = std::move(*file);
  after->stream().write(memory.bytes().data(), memory.bytes().size());
  if (failed(after->flush()))
    return failure();
  return outputs;
}

/// Implements --generate. Returns the exit status.
int runGenerate(MLIRContext &context, const RunCommand &arguments) {
  ModelArguments asked = arguments.model;
  if (!asked.decoder) {
    llvm::errs() << "heddle: error: --generate needs a decoder with a state: add --decoder\n";
    return ExitUsage;
  }
  FailureOr<std::vector<Tokens>> prompts = readPrompts(context, arguments.input);
  if (failed(prompts))
    return ExitBad;
  addDecoderDims(asked, *prompts, arguments.generate);
  int status = ExitBad;
  std::optional<Model> model = asked.import(context, status);
  if (!model)
    return status;
  FailureOr<Tokens> stops = readStops(*model, arguments.stops);
  if (failed(stops))
    return ExitUsage;
  auto sizes = sizesForPrompts(*model, *prompts, arguments.generate, arguments.input);
  if (failed(sizes) || failed(checkPrompts(*model, *prompts, arguments.input)))
    return ExitBad;
  DecoderPoints points(*model, sizes->first);
  auto tokens = [&]() -> FailureOr<std::vector<Tokens>> {
    if (arguments.interpret) {
      InterpretedDecoder decoder(std::move(points));
      return generate(decoder, *prompts, arguments.generate, sizes->second, *stops);
    }
    // Compilation consumes a model, so pass a clone to it.
    FailureOr<LoadedCode> code = loadCode(context, {model->module->clone(), model->weights, model->importAgain, model->classes},
                                          arguments.library, arguments.compile);
    FailureOr<ExecutorPtr> executor = createExecutor(arguments.threads.threads);
    if (failed(code) || failed(executor))
      return failure();
    CompiledDecoder decoder(std::move(points), *code->session, executor->get(),
                            arguments.library.sourceOf(arguments.compile));
    return generate(decoder, *prompts, arguments.generate, sizes->second, *stops);
  }();
  return succeeded(tokens) && succeeded(writeTokens(context, *tokens, arguments.output)) ? ExitDone : ExitBad;
}

/// Implements `heddle run`. Returns the exit status.
int runModel(RunCommand &arguments) {
  auto context = createContext();
  if (failed(checkOptions(*context, arguments.compile.options("model"), !arguments.interpret && arguments.compile.runner.empty())))
    return ExitUsage;
  if (failed(checkOutputFile(*context, arguments.output)))
    return ExitBad;
  int status = ExitBad;
  if (failed(arguments.model.precision.fitDevice(*context, arguments.compile.device)) ||
      arguments.library.refusesModel(arguments.model, arguments.compile))
    return ExitUsage;
  if (arguments.generate)
    return runGenerate(*context, arguments);
  std::optional<Model> model = arguments.model.import(*context, status, arguments.input);
  if (!model)
    return status;
  WeightStore file;
  // If sizes of the model lie in ranges, the input file determines the sizes of this call. The compiled code supports
  // all sizes in the ranges.
  SizeRanges ranges = rangesOf(*model);
  std::optional<Model> compiled;
  SizeValues sizes;
  if (!ranges.empty()) {
    if (failed(readSafetensors(*context, arguments.input, file)))
      return ExitBad;
    auto found = sizesOf(model->main(), file, arguments.input);
    if (failed(found))
      return ExitBad;
    FailureOr<Point> here = pointAt(*model, ranges, *found);
    if (failed(here))
      return ExitBad;
    sizes = std::move(*found);
    compiled = std::exchange(*model, std::move(here->model));
  }
  // Compilation consumes the module, so the code below reads `main` from a clone.
  OwningOpRef<ModuleOp> copy = arguments.interpret ? nullptr : model->module->clone();
  auto main = mainOf(copy ? *copy : *model->module);
  TypeRange types[] = {main.getArgumentTypes(), main.getResultTypes()};
  bool keeps = hasStates(main);
  if (!keeps && !arguments.state.empty()) {
    llvm::errs() << "heddle: error: --state-file: the model has no state\n";
    return ExitUsage;
  }
  if (isSameFile(arguments.state, arguments.output)) {
    llvm::errs() << "heddle: error: --state-file '" << arguments.state
                 << "': the outputs are written to the same file\n";
    return ExitUsage;
  }
  if (keeps && (arguments.interpret || !arguments.compile.runner.empty())) {
    llvm::errs() << "heddle: error: " << (arguments.interpret ? "--interpret" : "--runner")
                 << ": not supported for a model with states, which runs only as compiled code in this process\n";
    return ExitUsage;
  }
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
  std::unique_ptr<OutputFile> state;
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
    FailureOr<ExecutorPtr> executor = createExecutor(arguments.threads.threads);
    if (failed(executor))
      return ExitBad;
    outputs = keeps ? callWithState(*code->session, main, *inputs, executor->get(), arguments.state, state)
                    : call(*code->session, main, *inputs, executor->get());
  }
  bool isWritten = succeeded(outputs) && succeeded(write(*context, main, *outputs, arguments.output));
  return isWritten && (!state || succeeded(state->keep())) ? ExitDone : ExitBad;
}

} // namespace

void heddle::addRun(CLI::App &app, int &status) {
  auto arguments = std::make_shared<RunCommand>();
  arguments->model.add(app);
  app.add_option(
         "--input", arguments->input,
         "FILE: a .safetensors file with the model's inputs by name, whose shapes determine the sizes that --dim "
         "does not set")
      ->required();
  app.add_option("--output", arguments->output, "FILE: the .safetensors file to write")->required();
  CLI::Option *state = app.add_option(
      "--state-file", arguments->state,
      "FILE: the state of the model. The call starts from the state in FILE, or from an empty state if FILE does "
      "not exist. After the call, FILE contains the new state");
  CLI::Option *interpret = app.add_flag("--interpret", arguments->interpret,
                                        "run the interpreter, in f64, instead of compiled code");
  CLI::Option *generate =
      app.add_option(
             "--generate", arguments->generate,
             "N: with --decoder, generate N tokens after input_ids and write them as `tokens`; zeros in attention_mask "
             "mark the padding of input_ids")
          ->transform(integerBetween(1, uint64_t(1) << 20));
  generate->excludes(state);
  app.add_option(
         "--stop", arguments->stops,
         "ID: with --generate, end a sequence at this token, with which the rest of its row is filled (repeatable)")
      ->transform(anyInteger())
      ->needs("--generate");
  // Users of other engines expect this option. It is not in the list of options, because it is always refused.
  app.add_option_function<std::string>(
         "--prompt",
         [](const std::string &) {
           throw CLI::ValidationError(
               "--prompt", "this command takes token ids; the program heddle-chat of the Python package takes text");
         })
      ->trigger_on_parse()
      ->group("");
  CLI::Option *library = arguments->library.add(app, "run");
  library->excludes(interpret);
  arguments->compile.add(app, {interpret, library});
  arguments->compile.addRunner(app)->excludes(interpret);
  arguments->threads.add(app);
  app.callback([arguments, &status] { status = runModel(*arguments); });
}
