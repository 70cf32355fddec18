//===- Verify.cpp - heddle verify -----------------------------------------===//

#include "LibraryArguments.h"
#include "ModelArguments.h"
#include "Numbers.h"

#include "heddle/Calls.h"
#include "heddle/Cases.h"
#include "heddle/ErrorTable.h"
#include "heddle/Inputs.h"
#include "heddle/OnnxTestData.h"
#include "heddle/VerifyStages.h"
#include "heddle/VerifyStates.h"

#include "States.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

namespace {

/// The values of the options of `heddle verify`.
struct VerifyCommand {
  ModelArguments model;
  CompileArguments compile;
  ThreadArguments threads;
  CaseOptions cases;
  LibraryArguments library;
  ScriptOptions scripts;
  double tolerance = -1; // the value of --tolerance; negative if it is not given
  bool json = false, stages = false;
};

/// Implements --stages: interprets the model's code after each stage, with the inputs of each case, and compares the
/// results with the reference. Returns the exit status.
int judgeStages(const Model &model, const VerifyCommand &arguments, const PointCases &point) {
  bool ok = true;
  for (auto [test, reference] : llvm::zip_equal(point.cases, point.references)) {
    if (!test.name.empty())
      llvm::outs() << test.name << ":\n";
    std::vector<Tensor> inputs = withDefaults(point.main(), test.inputs);
    ok &= verifyStages(model, arguments.compile.options("model"), inputs, reference, arguments.cases.seed);
  }
  return ok ? ExitDone : ExitBad;
}

/// Prints the comparisons of outputs with the reference. Returns the exit status.
int report(const VerifyCommand &arguments, ArrayRef<Judgement> judgements) {
  if (arguments.json)
    printErrorJson(llvm::outs(), judgements);
  else if (arguments.cases.adversarial)
    printErrorTable(llvm::outs(), judgements);
  else
    for (const Judgement &judgement : judgements)
      llvm::outs() << (judgement.where().empty() ? "" : judgement.where() + ": ") << judgement.comparison.text()
                   << describeLeftOut(judgement, ", ") << "\n";
  if (!arguments.json)
    for (const std::string &line : describeDistances(judgements, arguments.model.precision.text))
      llvm::outs() << line << "\n";
  return llvm::all_of(judgements, [](const Judgement &judgement) { return judgement.comparison.ok; }) ? ExitDone
                                                                                                      : ExitBad;
}

/// Verifies a model that has states by scripts, that is, by random sequences of calls. Returns the exit status.
int verifyScripts(const VerifyCommand &arguments, Model model) {
  const CaseOptions &cases = arguments.cases;
  for (auto [isGiven, option] : {std::pair(!cases.input.empty(), "--input"),
                                 {!cases.expected.empty(), "--expected"},
                                 {!cases.where.empty(), "--where"},
                                 {cases.adversarial, "--adversarial"},
                                 {arguments.stages, "--stages"},
                                 {!arguments.compile.runner.empty(), "--runner"}})
    if (isGiven) {
      llvm::errs() << "heddle: error: " << option
                   << ": not supported for a model with states, which is verified by scripts of calls\n";
      return ExitUsage;
    }
  MLIRContext &context = *model.module.get()->getContext();
  FailureOr<ExecutorPtr> executor = createExecutor(arguments.threads.threads);
  FailureOr<LoadedCode> code =
      failed(executor) ? FailureOr<LoadedCode>(failure())
                       : loadCode(context, {model.module.get().clone(), model.weights, model.importAgain, model.classes},
                                  arguments.library, arguments.compile);
  if (failed(code))
    return ExitBad;
  if (code->session->model().state_count == 0) {
    llvm::errs() << arguments.library.library
                 << ": error: the library was not compiled from this model: the library has no state\n";
    return ExitBad;
  }
  ScriptOptions scripts = arguments.scripts;
  scripts.seed = cases.seed;
  llvm::errs() << "heddle: running " << scripts.scripts << " scripts of " << scripts.calls << " calls, --seed "
               << scripts.seed << "; for each output, the call whose error is nearest to its bound is printed\n";
  FailureOr<std::vector<Judgement>> judgements =
      verifyStates(model, *code->session, arguments.library.isGiven() ? arguments.library.library : "heddle", scripts,
                   executor->get());
  return failed(judgements) ? ExitBad : report(arguments, *judgements);
}

/// Implements `heddle verify`. Returns the exit status.
int verifyModel(VerifyCommand &arguments) {
  auto context = createContext();
  // With --stages, the interpreter runs the code of each stage, so the code may be for any machine.
  bool runsHere = arguments.compile.runner.empty() && !arguments.stages;
  if (failed(checkOptions(*context, arguments.compile.options("model"), runsHere)))
    return ExitUsage;
  int status = ExitBad;
  if (failed(arguments.model.precision.fitDevice(*context, arguments.compile.device)) ||
      arguments.library.refusesModel(arguments.model, arguments.compile))
    return ExitUsage;
  std::optional<Model> inF32, model = arguments.model.import(*context, status, arguments.cases.input, &inF32);
  if (!model)
    return status;
  if (hasStates(model->main()))
    return verifyScripts(arguments, std::move(*model));
  if (arguments.stages && refuseRanges(*model, "--stages"))
    return ExitBad;
  if (const std::string &mask = arguments.cases.where; !mask.empty() && failed(checkMask(model->main(), mask)))
    return ExitUsage;
  CaseOptions cases = arguments.cases;
  cases.testData = onnxTestDataSets(arguments.model.model);
  FailureOr<std::vector<PointCases>> points =
      prepareCases(cases, *model, "verifying " + arguments.model.model, inF32 ? &*inF32 : nullptr);
  if (failed(points))
    return ExitBad;
  if (cases.input.empty() && cases.testData.empty())
    llvm::errs() << "heddle: inputs are random, --seed " << arguments.cases.seed << "\n";
  if (SizeRanges ranges = rangesOf(*model); !ranges.empty() && cases.input.empty())
    llvm::errs() << "heddle: verified " << coverageText(ranges, points->size()) << "\n";
  FailureOr<ExecutorPtr> executor = createExecutor(arguments.threads.threads);
  if (failed(executor))
    return ExitBad;
  if (arguments.stages)
    return judgeStages(*model, arguments, points->front());
  SizeRanges ranges = rangesOf(*model);
  FailureOr<LoadedCode> code = loadCode(*context, std::move(*model), arguments.library, arguments.compile);
  if (failed(code))
    return ExitBad;
  for (PointCases &point : *points) {
    FailureOr<SizeValues> sizes =
        checkInterface(code->session->model(), point.main(), sizesByName(ranges, point.at.sizes),
                       arguments.library.sourceOf(arguments.compile));
    if (failed(sizes))
      return ExitBad;
    point.sizes = std::move(*sizes);
  }
  FailureOr<std::vector<Judgement>> judgements = judgeAll(*code->session, *points, executor->get(), arguments.tolerance);
  if (failed(judgements))
    return ExitBad;
  return report(arguments, *judgements);
}

} // namespace

void heddle::addVerify(CLI::App &app, int &status) {
  auto arguments = std::make_shared<VerifyCommand>();
  arguments->model.add(app);
  arguments->threads.add(app);
  CLI::Option *input = app.add_option(
      "--input", arguments->cases.input,
      "FILE: a .safetensors file with the inputs, whose shapes determine the sizes that --dim does not set (default: "
      "random inputs)");
  CLI::Option *expected = app.add_option("--expected", arguments->cases.expected,
                                         "FILE: also compare the outputs with the tensors in this .safetensors file");
  CLI::Option *where = app.add_option("--where", arguments->cases.where,
                                      "INPUT: compare only the positions where this input, such as attention_mask, is "
                                      "not 0; the first dimensions of each output must be those of the input");
  CLI::Option *library = arguments->library.add(app, "verify");
  arguments->compile.add(app, library);
  CLI::Option *runner = arguments->compile.addRunner(app);
  addSeed(app, arguments->cases.seed, input);
  CLI::Option *tolerance =
      app.add_option("--tolerance", arguments->tolerance,
                     "an output is also wrong if its error exceeds this number, even if it is within the bound");
  tolerance->check([](const std::string &text) -> std::string {
    double value;
    bool fits = !StringRef(text).getAsDouble(value) && std::isfinite(value) && value >= 0;
    return fits ? "" : "'" + text + "' is not a tolerance: expected a number that is not negative";
  });
  CLI::Option *adversarial = app.add_flag(
      "--adversarial", arguments->cases.adversarial,
      "also verify with numerically hard inputs (huge, denormal, not finite), and print a table of errors");
  CLI::Option *json = app.add_flag("--json", arguments->json, "print as JSON");
  CLI::Option *stages = app.add_flag(
      "--stages", arguments->stages,
      "interpret each kernel after every stage and report the first stage after which its results are wrong");
  for (CLI::Option *other : {expected, where, library, runner, tolerance, adversarial, json})
    stages->excludes(other);
  where->excludes(adversarial);
  app.add_option("--scripts", arguments->scripts.scripts,
                 "N: for a model with states, the number of scripts (random sequences of calls)")
      ->transform(integerBetween(1, 1000000));
  app.add_option("--calls", arguments->scripts.calls, "N: for a model with states, the number of calls in each script")
      ->transform(integerBetween(1, 1000000));
  app.callback([arguments, &status] {
    arguments->model.wholeRanges = arguments->compile.device != hostDevice;
    status = verifyModel(*arguments);
  });
}
