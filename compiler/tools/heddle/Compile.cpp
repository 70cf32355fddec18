//===- Compile.cpp - heddle compile ---------------------------------------===//

#include "CompileArguments.h"
#include "ModelArguments.h"
#include "Names.h"
#include "OutputPlan.h"

#include "heddle/Identifier.h"
#include "heddle/InputFile.h"
#include "heddle/Link.h"
#include "heddle/OutputFile.h"
#include "heddle/Passport.h"
#include "heddle/Progress.h"
#include "heddle/Ranges.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace heddle;
namespace path = llvm::sys::path;

namespace {

/// The values of the options of `heddle compile`.
struct CompileCommand {
  ModelArguments model;
  CompileArguments compile;
  std::string output, name, emit, dumpDirectory, weightsFile, dependencies, commandLine;
  ThreadArguments threads;
  bool passport = false, json = false;
};

/// Prints an error and returns the exit status for wrong usage.
int usage(const Twine &text) {
  llvm::errs() << "heddle: error: " << text << "\n";
  return ExitUsage;
}

StringRef stageExtension(Stage stage) {
  return stage == Stage::LLVMIR ? "ll" : stage == Stage::Object ? "s" : "mlir";
}

/// Returns the path of the file of --dump-stages for a stage. `variant` is empty if the model has only one variant or
/// the stage is common to all variants.
std::string stageFile(const CompileCommand &arguments, Stage stage, StringRef variant = "") {
  llvm::SmallString<128> file(arguments.dumpDirectory);
  path::append(file, llvm::formatv("{0,0-2}-{1}{2}{3}.{4}", llvm::formatv("{0:02}", int(stage) + 1).str(),
                                   stageName(stage), variant.empty() ? "" : "-", variant, stageExtension(stage))
                         .str());
  return file.str().str();
}

std::string headerFile(const CompileCommand &arguments) {
  llvm::SmallString<128> file(arguments.output);
  path::replace_extension(file, "h");
  return file.str().str();
}

/// Checks, before the model is compiled, that the output files can be written. For --dump-stages, checks that the
/// folder can be created and that files can be written to it.
LogicalResult checkOutputs(MLIRContext &context, const CompileCommand &arguments, const OutputPlan &plan) {
  if (failed(checkOutputFile(context, arguments.output)) || failed(checkOutputFile(context, arguments.weightsFile)) ||
      failed(checkOutputFile(context, arguments.dependencies)) ||
      (plan.isLibrary() && failed(checkOutputFile(context, headerFile(arguments)))))
    return failure();
  return checkOutputFolder(context, arguments.dumpDirectory);
}

/// Writes the code after `stage` to a file of --dump-stages if this option is given, and to the output file if the
/// output is the code after this stage. Called after each stage.
LogicalResult writeStage(MLIRContext &context, const CompileCommand &arguments, const OutputPlan &plan, Stage stage,
                         StringRef variant, llvm::function_ref<void(llvm::raw_ostream &)> print) {
  if (!arguments.dumpDirectory.empty()) {
    llvm::sys::fs::create_directories(arguments.dumpDirectory); // if this fails, the file cannot be written
    if (failed(writeOutputFile(context, stageFile(arguments, stage, variant), print)))
      return failure();
  }
  if (plan.form == OutputForm::Stage && stage == plan.last)
    return writeOutputFile(context, arguments.output, print);
  return success();
}

/// Writes the weights to the file of --weights, unless compileModel has already written them. The file becomes
/// permanent only if the caller calls keep(). Does nothing if `file` is null, which means that there is no --weights.
LogicalResult writeWeights(const CompiledModel &compiled, OutputFile *file) {
  if (!file)
    return success();
  file->stream().write(compiled.weights.data(), compiled.weights.size());
  return file->flush();
}

/// Writes the library, its header and, if `weights` is not null, the file of --weights.
LogicalResult writeLibrary(MLIRContext &context, const CompileCommand &arguments, const OutputPlan &plan,
                           const CompiledModel &compiled, OutputFile *weights) {
  auto write = plan.form == OutputForm::Shared   ? writeSharedLibrary
               : plan.form == OutputForm::Static ? writeStaticLibrary
                                                 : writeObject;
  FailureOr<std::unique_ptr<OutputFile>> header = OutputFile::create(context, headerFile(arguments));
  if (failed(header))
    return failure();
  (*header)->stream() << compiled.header;
  if (failed((*header)->flush()) || failed(writeWeights(compiled, weights)) ||
      failed(write(context, arguments.output, *compiled.object)) || failed((*header)->keep()))
    return failure();
  return weights ? weights->keep() : success();
}

/// Writes the make rule of --depfile. `read` contains the files that the compiler has read.
LogicalResult writeDependencies(MLIRContext &context, const CompileCommand &arguments, const InputFileLog &read) {
  if (arguments.dependencies.empty())
    return success();
  return writeOutputFile(context, arguments.dependencies,
                         [&](llvm::raw_ostream &os) { os << makeRule(arguments.output, read.paths()); });
}

/// Prints the sizes of code, weights, arena and stack. If sizes of the model lie in ranges, `largest` is a text with
/// the maximum sizes, for which the printed size of the arena is computed. Otherwise `largest` is empty.
void printSizes(const CompileCommand &arguments, const CompiledModel &compiled, StringRef largest) {
  if (arguments.json) {
    llvm::json::OStream json(llvm::outs(), 2);
    json.object([&] {
      json.attribute("output", arguments.output);
      json.attribute("code_bytes", compiled.codeSize);
      json.attribute("weights_bytes", compiled.weightsSize);
      json.attribute("arena_bytes", compiled.arenaSize);
      json.attribute("arena_bytes_per_further_thread", compiled.workerSize);
      json.attribute("stack_bytes", compiled.stackSize);
      json.attributeArray("variants", [&] {
        for (const CompiledVariant &variant : compiled.variants)
          json.object([&] {
            json.attribute("cpu", variant.name);
            if (!variant.sizes.empty())
              json.attribute("sizes", variant.sizes);
            json.attribute("instruction_bytes", variant.codeSize);
            json.attribute("arena_bytes", variant.arenaSize);
            json.attribute("arena_bytes_per_further_thread", variant.workerSize);
            json.attribute("stack_bytes", variant.stackSize);
          });
      });
    });
    llvm::outs() << "\n";
    return;
  }
  llvm::outs() << llvm::formatv("{0}: code {1} bytes, weights {2}, arena {3}{4} (and {5} for each further thread), stack {6}\n",
                                arguments.output, compiled.codeSize, compiled.weightsSize, compiled.arenaSize,
                                largest, compiled.workerSize, compiled.stackSize);
  if (compiled.variants.size() > 1)
    for (const CompiledVariant &variant : compiled.variants)
      llvm::outs() << llvm::formatv(
          "  {0}: instructions {1} bytes, arena {2}{3} (and {4} for each further thread), stack {5}\n",
          variant.name + (variant.sizes.empty() ? "" : ", " + variant.sizes), variant.codeSize, variant.arenaSize,
          variant.sizes.empty() ? largest : " at most", variant.workerSize, variant.stackSize);
}

/// Returns the name of the library, made from the stem of the output file. The name starts with `model_` if the stem
/// does not give an identifier, or if a function of the library would have the name of a function of libc or libm.
std::string libraryName(StringRef stem) {
  std::string name = makeIdentifier(stem);
  if (isIdentifier(name) && !findLibcFunction(name))
    return name;
  return (name.front() == '_' ? "model" : "model_") + name;
}

/// Returns an error text if two of the output files are the same file, or "" if all differ.
std::string findSameFile(const CompileCommand &arguments, const OutputPlan &plan) {
  std::vector<std::pair<std::string, std::string>> taken = {{arguments.output, "the code is"}};
  if (plan.isLibrary())
    taken.push_back({headerFile(arguments), "the library's header is"});
  auto place = [&](StringRef option, const std::string &file, StringRef written) -> std::string {
    if (file.empty())
      return "";
    for (const auto &[other, what] : taken)
      if (isSameFile(file, other))
        return (option + " '" + file + "': " + what + " written to the same file").str();
    taken.push_back({file, written.str()});
    return "";
  };
  std::string twice = place("--weights", arguments.weightsFile, "the weights are");
  return twice.empty() ? place("--depfile", arguments.dependencies, "") : twice;
}

/// Implements `heddle compile`. Returns the exit status.
int compile(CompileCommand &arguments) {
  std::optional<OutputPlan> plan = OutputPlan::make(arguments.output, arguments.emit, arguments.compile.device);
  if (!plan)
    return ExitUsage;
  if (arguments.passport && !plan->isLibrary())
    return usage("--passport needs a library: -o must end in .so, .a or .o");
  std::string name = arguments.name.empty() ? libraryName(path::stem(arguments.output)) : arguments.name;
  if (!isIdentifier(name))
    return usage("--name '" + name + "': expected an identifier that is not reserved in C or C++");
  if (std::optional<std::string> function = findLibcFunction(name))
    return usage("--name '" + name + "': the library would define function " + *function +
                 ", which libc defines; give another name");
  if (!arguments.weightsFile.empty() && !plan->hasWeights())
    return usage("--weights needs an output with weights: -o must end in .so, .a, .o, .ll or .s");
  if (std::string taken = findSameFile(arguments, *plan); !taken.empty())
    return usage(taken);
  auto context = createContext();
  InputFileLog read;
  CompileOptions options = arguments.compile.options(name);
  options.to = plan->last;
  if (failed(checkOptions(*context, options, /*runsHere=*/arguments.passport)))
    return ExitUsage;
  if (failed(checkOutputs(*context, arguments, *plan)))
    return ExitBad;
  int status = ExitBad;
  if (failed(arguments.model.precision.fitDevice(*context, arguments.compile.device)))
    return ExitUsage;
  std::optional<Model> inF32, model = arguments.model.import(*context, status, "", &inF32);
  if (!model)
    return status;
  options.embedWeights = arguments.weightsFile.empty() && plan->isLibrary();
  options.exportQuery = plan->form == OutputForm::Shared;
  options.positional = isOperation(arguments.model.model);
  options.commandLine = arguments.commandLine;
  if (plan->form == OutputForm::Stage || !arguments.dumpDirectory.empty())
    options.afterStage = [&](Stage stage, StringRef variant, llvm::function_ref<void(llvm::raw_ostream &)> print) {
      return writeStage(*context, arguments, *plan, stage, variant, print);
    };
  if (options.afterStage &&
      failed(options.afterStage(Stage::Import, "", [&](llvm::raw_ostream &os) { model->module->print(os); })))
    return ExitBad;
  if (plan->last == Stage::Import)
    return succeeded(writeDependencies(*context, arguments, read)) ? ExitDone : ExitBad;
  std::optional<Passport> passport;
  if (arguments.passport && refuseStates(*model, "--passport"))
    return ExitBad;
  if (arguments.passport) {
    passport =
        Passport::create(arguments.model.model, arguments.model.precision.text, *model, inF32 ? &*inF32 : nullptr);
    if (!passport)
      return ExitBad;
    options.measure = [&](const CompiledModel &compiled) {
      return passport->measure(compiled, options, arguments.compile.device, arguments.threads.threads);
    };
  }
  SizeRanges ranges = rangesOf(*model);
  SizeValues highs(ranges.size());
  llvm::transform(ranges, highs.begin(), [](const SizeRange &range) { return size_t(range.high); });
  std::string largest = ranges.empty() ? "" : " for " + sizesText(ranges, highs);
  FailureOr<std::unique_ptr<OutputFile>> weights = std::unique_ptr<OutputFile>();
  if (!arguments.weightsFile.empty() && failed(weights = OutputFile::create(*context, arguments.weightsFile)))
    return ExitBad;
  // If the file is a regular file, write the weights directly to it instead of keeping them in memory. With --passport,
  // keep the weights in memory for the measurement.
  if (*weights && (*weights)->canGoBack() && !arguments.passport)
    options.weights = &(*weights)->stream();
  std::optional<Progress> progress(std::in_place);
  options.progress = [&](const std::string &what) { progress->show("compiling: " + what); };
  FailureOr<CompiledModel> compiled = compileModel(std::move(*model), options);
  if (failed(compiled))
    return ExitBad;
  progress->show("writing " + arguments.output);
  if (plan->isLibrary() && failed(writeLibrary(*context, arguments, *plan, *compiled, weights->get())))
    return ExitBad;
  if (!plan->isLibrary() && *weights && (failed(writeWeights(*compiled, weights->get())) || failed((*weights)->keep())))
    return ExitBad;
  if (plan->form == OutputForm::DeviceCode &&
      failed(writeOutputFile(*context, arguments.output, [&](llvm::raw_ostream &os) {
        os.write(compiled->deviceCode.data(), compiled->deviceCode.size());
      })))
    return ExitBad;
  progress.reset();
  if (failed(writeDependencies(*context, arguments, read)))
    return ExitBad;
  if (plan->isLibrary())
    printSizes(arguments, *compiled, largest);
  return ExitDone;
}

} // namespace

void heddle::addCompile(CLI::App &app, int &status) {
  auto arguments = std::make_shared<CompileCommand>();
  arguments->model.add(app);
  arguments->compile.addForLibrary(app);
  arguments->threads.add(app);
  app.add_option("-o,--output", arguments->output, describeOutputs())->required();
  app.add_option("--name", arguments->name,
                 "the prefix of the functions' names (default: made from the name of the output file)");
  app.add_option("--emit", arguments->emit,
                 "STAGE: stop after this stage and write its code to OUT; one of " +
                     llvm::join(stageNames(), ", "));
  app.add_option("--dump-stages", arguments->dumpDirectory,
                 "DIR: write the code after every stage to numbered files in this directory");
  app.add_flag(
      "--passport", arguments->passport,
      "measure the errors of the results, compared with the interpreter in f64, and write them into the header");
  app.add_flag("--json", arguments->json, "print the sizes as JSON");
  app.add_option("--weights", arguments->weightsFile,
                 "FILE: write the weights to this file instead of into the library (a .ll or .s never contains them)");
  app.add_option("--depfile", arguments->dependencies,
                 "FILE: write a make rule for OUT with all input files, so that a build system compiles again when one "
                 "of them changes");
  app.callback([arguments, &app, &status] {
    arguments->commandLine = commandLineOf(app);
    arguments->model.wholeRanges = arguments->compile.device != hostDevice;
    status = compile(*arguments);
  });
}
