//===- Verify.cpp - heddle verify -----------------------------------------===//

#include "Calls.h"
#include "CompileArguments.h"
#include "ErrorTable.h"
#include "HardReference.h"
#include "Inputs.h"
#include "ModelArguments.h"
#include "Progress.h"
#include "Ranges.h"
#include "VerifyStages.h"

#include "heddle/OnnxTestData.h"
#include "heddle/Safetensors.h"
#include "heddle/Verify.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

namespace {

struct Arguments {
  ModelArguments model;
  CompileArguments compile;
  ThreadArguments threads;
  std::string input, expected, library, weights, variant;
  uint64_t seed = 1;
  double tolerance = -1;
  bool json = false, adversarial = false, stages = false;
};

/// One set of inputs and what is known of the outputs.
struct Case {
  std::string name; // empty where there is but one
  std::vector<std::optional<Tensor>> inputs, expected;
  bool adversarial = false;
};

/// The model at one choice of the sizes that lie in ranges; without ranges there is one.
struct Point {
  std::string name; // "m=37 "; "" without ranges
  SizeValues sizes;
  Model model; // as it was imported, of these sizes; the judge takes it before anything was recognised in it
  std::vector<Case> cases;
  std::vector<Reference> references; // of each case

  func::FuncOp main() { return model.module->lookupSymbol<func::FuncOp>("main"); }
};

LogicalResult bindCase(Case &test, func::FuncOp main, const WeightStore &inputs, StringRef path) {
  auto bound = bindInputs(main, inputs, path);
  if (failed(bound) || failed(checkRanges(main, *bound, path)))
    return failure();
  test.inputs = std::move(*bound);
  return success();
}

LogicalResult bindCaseExpected(Case &test, func::FuncOp main, const WeightStore &expected, StringRef path) {
  auto bound = bindExpected(main, expected, path);
  if (failed(bound))
    return failure();
  test.expected = std::move(*bound);
  return success();
}

/// The inputs and outputs that ONNX's own tests keep beside the model.
FailureOr<std::vector<Case>> readTestData(MLIRContext &context, func::FuncOp main, ArrayRef<std::string> sets) {
  std::vector<std::string> inputNames, outputNames;
  for (const Port &port : inputPorts(main))
    inputNames.push_back(port.name);
  for (const Port &port : outputPorts(main))
    outputNames.push_back(port.name);
  std::vector<Case> cases;
  for (const std::string &set : sets) {
    Case test{llvm::sys::path::filename(set).str(), {}, {}};
    auto inputs = readOnnxTestTensors(context, set, "input", inputNames);
    auto outputs = readOnnxTestTensors(context, set, "output", outputNames);
    if (failed(inputs) || failed(outputs) || failed(bindCase(test, main, *inputs, set)) ||
        failed(bindCaseExpected(test, main, *outputs, set)))
      return failure();
    cases.push_back(std::move(test));
  }
  return cases;
}

LogicalResult addAdversarialCases(std::vector<Case> &cases, const Arguments &arguments, func::FuncOp main) {
  auto hard = adversarialInputs(main, arguments.seed);
  if (failed(hard))
    return failure();
  for (Case &test : cases)
    if (test.name.empty())
      test.name = arguments.input.empty() ? "random" : "input";
  for (InputCase &inputs : *hard) {
    Case test{inputs.name, {inputs.inputs.begin(), inputs.inputs.end()}, {}, /*adversarial=*/true};
    test.expected.resize(main.getNumResults());
    cases.push_back(std::move(test));
  }
  return success();
}

FailureOr<std::vector<Case>> readCases(const Arguments &arguments, MLIRContext &context, func::FuncOp main) {
  std::vector<std::string> sets = onnxTestDataSets(arguments.model.model);
  if (!sets.empty() && arguments.input.empty() && arguments.expected.empty())
    return readTestData(context, main, sets);
  Case test;
  if (arguments.input.empty()) {
    auto inputs = randomInputs(main, arguments.seed);
    if (failed(inputs))
      return failure();
    test.inputs.assign(inputs->begin(), inputs->end());
  } else {
    WeightStore file;
    if (failed(readSafetensors(context, arguments.input, file)) ||
        failed(bindCase(test, main, file, arguments.input)))
      return failure();
  }
  test.expected.resize(main.getNumResults());
  WeightStore file;
  if (!arguments.expected.empty() && (failed(readSafetensors(context, arguments.expected, file)) ||
                                      failed(bindCaseExpected(test, main, file, arguments.expected))))
    return failure();
  return std::vector<Case>{std::move(test)};
}

/// The user's own bound, besides the contract's.
void applyTolerance(Comparison &comparison, double tolerance) {
  if (tolerance < 0 || !comparison.ok || comparison.error <= tolerance)
    return;
  comparison.ok = false;
  llvm::raw_string_ostream(comparison.problem) << llvm::format("error above --tolerance %g", tolerance);
}

void judgeCase(std::vector<Judgement> &judgements, func::FuncOp main, const Case &test, ArrayRef<Tensor> actual,
               const Reference &reference, double tolerance) {
  for (auto [i, output] : llvm::enumerate(actual)) {
    std::string name = resultName(main, i);
    judgements.push_back(judge(test.name, name, output, reference, i, test.adversarial));
    applyTolerance(judgements.back().comparison, tolerance);
    if (!test.expected[i])
      continue;
    judgements.push_back(
        {test.name, compareExpected(name, output, *test.expected[i], reference.wide[i], reference.narrow[i])});
    applyTolerance(judgements.back().comparison, tolerance);
  }
}

void printJson(ArrayRef<Judgement> judgements) {
  llvm::json::OStream json(llvm::outs(), 2);
  json.array([&] {
    for (const Judgement &judgement : judgements)
      json.object([&] {
        const Comparison &comparison = judgement.comparison;
        json.attribute("case", judgement.name);
        json.attribute("output", comparison.output);
        json.attribute("against", comparison.against);
        json.attributeArray("shape", [&] {
          for (int64_t size : comparison.shape)
            json.value(size);
        });
        json.attribute("type", comparison.elementType);
        json.attribute("max_abs_error", comparison.error);
        json.attribute("bound", comparison.bound);
        json.attribute("magnitude", comparison.magnitude);
        json.attribute("overflows", judgement.overflows);
        json.attribute("ok", comparison.ok);
        json.attribute("problem", comparison.problem);
      });
  });
  llvm::outs() << "\n";
}

/// The library to judge, which must be of this model, with its weights if they are in a file of their own.
std::unique_ptr<Session> loadLibrary(const Arguments &arguments, Point &point,
                                     std::unique_ptr<llvm::MemoryBuffer> &weights) {
  bool isElsewhere = !arguments.compile.runner.empty();
  if (!arguments.weights.empty() && !isElsewhere) {
    auto file = llvm::MemoryBuffer::getFile(arguments.weights, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (!file) {
      llvm::errs() << "heddle: error: " << arguments.weights << ": " << file.getError().message() << "\n";
      return nullptr;
    }
    weights = std::move(*file);
  }
  ArrayRef<char> bytes;
  if (weights)
    bytes = ArrayRef(weights->getBufferStart(), weights->getBufferSize());
  auto session = isElsewhere ? Session::fromRunner(arguments.compile.runner, arguments.library, arguments.weights,
                                                   arguments.variant)
                             : Session::fromLibrary(arguments.library, bytes, arguments.variant);
  if (!session) {
    printError(session.takeError());
    return nullptr;
  }
  return succeeded(checkInterface((*session)->model(), point.main(), point.sizes, arguments.library)) ? std::move(*session) : nullptr;
}

/// --stages: every case through all stages.
int judgeStages(const Model &model, const Arguments &arguments, func::FuncOp main, ArrayRef<Case> cases,
                ArrayRef<Reference> references) {
  int status = ExitDone;
  for (auto [test, reference] : llvm::zip_equal(cases, references)) {
    if (!test.name.empty())
      llvm::outs() << test.name << ":\n";
    int found = verifyStages(model, arguments.compile, withDefaults(main, test.inputs), reference, arguments.seed);
    status = std::max(status, found);
  }
  return status;
}

/// Where the model is judged: at the sizes that the inputs tell, or at some of all.
FailureOr<std::vector<Point>> choosePoints(const Arguments &arguments, MLIRContext &context, const Model &model,
                                           ArrayRef<SizeRange> ranges) {
  std::vector<Point> points;
  if (ranges.empty()) {
    points.push_back({"", {}, {model.module.get().clone(), {}}, {}, {}});
    return points;
  }
  std::vector<SizeValues> choices = sizesToTry(ranges, arguments.seed);
  if (!arguments.input.empty()) {
    WeightStore file;
    if (failed(readSafetensors(context, arguments.input, file)))
      return failure();
    auto found = sizesOf(model.module.get().lookupSymbol<func::FuncOp>("main"), file, arguments.input);
    if (failed(found))
      return failure();
    choices = {*found};
  }
  for (SizeValues &values : choices) {
    FailureOr<Model> here = importAt(model, ranges, values);
    if (failed(here))
      return failure();
    points.push_back({sizesText(ranges, values), values, std::move(*here), {}, {}});
  }
  return points;
}

/// Inputs and references of all points.
LogicalResult prepare(std::vector<Point> &points, const Arguments &arguments, MLIRContext &context,
                      const Model &model) {
  uint64_t bytes = 0;
  for (Point &point : points)
    bytes = llvm::SaturatingAdd(
        bytes, judgingBytes(point.main(), arguments.adversarial ? 1 + countAdversarialInputs(point.main()) : 1));
  if (!arguments.model.fits("verifying", bytes))
    return failure();
  for (Point &point : points) {
    FailureOr<std::vector<Case>> cases = readCases(arguments, context, point.main());
    if (failed(cases) || (arguments.adversarial && failed(addAdversarialCases(*cases, arguments, point.main()))))
      return failure();
    HardReference hard(*point.model.module);
    for (Case &test : *cases) {
      Progress progress("interpreting in f64 and f32");
      const WeightStore &weights = point.sizes.empty() ? model.weights : point.model.weights;
      auto reference = hard.compute(withDefaults(point.main(), test.inputs), weightsFrom(weights));
      if (failed(reference))
        return failure();
      point.references.push_back(std::move(*reference));
      if (!point.name.empty())
        test.name = point.name + (test.name.empty() ? "" : " ") + test.name;
    }
    point.cases = std::move(*cases);
  }
  if (arguments.input.empty() && onnxTestDataSets(arguments.model.model).empty())
    llvm::errs() << "heddle: inputs are random, --seed " << arguments.seed << "\n";
  return success();
}

int verifyModel(const Arguments &arguments) {
  auto context = createContext();
  // Stages are interpreted, so that the code may be for any machine.
  bool runsHere = arguments.compile.runner.empty() && !arguments.stages;
  if (failed(checkOptions(*context, arguments.compile.options("model"), runsHere)))
    return ExitUsage;
  int status = ExitBad;
  std::optional<Model> model = arguments.model.import(*context, status);
  if (!model)
    return status;
  SizeRanges ranges = notes::sizes.get(*model->module).value_or(SizeRanges());
  if (arguments.stages && refuseRanges(*model, "--stages"))
    return ExitBad;
  FailureOr<std::vector<Point>> points = choosePoints(arguments, *context, *model, ranges);
  if (failed(points) || failed(prepare(*points, arguments, *context, *model)))
    return ExitBad;
  FailureOr<ExecutorPtr> executor = createExecutor(arguments.threads);
  if (failed(executor))
    return ExitBad;
  func::FuncOp main = points->front().main();
  if (arguments.stages)
    return judgeStages(*model, arguments, main, points->front().cases, points->front().references);
  std::unique_ptr<llvm::MemoryBuffer> weights; // outlives the session
  std::unique_ptr<Session> session = arguments.library.empty()
                                         ? compileAndLoad(*context, std::move(*model), main, arguments.compile)
                                         : loadLibrary(arguments, points->front(), weights);
  if (!session)
    return ExitBad;
  std::vector<Judgement> judgements;
  for (Point &point : *points) {
    if (!point.sizes.empty())
      session->setSizes(point.sizes);
    for (auto [test, reference] : llvm::zip_equal(point.cases, point.references)) {
      auto actual = call(*session, point.main(), test.inputs, executor->get());
      if (failed(actual))
        return ExitBad;
      judgeCase(judgements, point.main(), test, *actual, reference, arguments.tolerance);
    }
  }
  if (arguments.json)
    printJson(judgements);
  else if (arguments.adversarial)
    printErrorTable(llvm::outs(), judgements);
  else
    for (const Judgement &judgement : judgements)
      llvm::outs() << (judgement.name.empty() ? "" : judgement.name + ": ") << judgement.comparison.text() << "\n";
  return llvm::all_of(judgements, [](const Judgement &judgement) { return judgement.comparison.ok; }) ? ExitDone
                                                                                                       : ExitBad;
}

} // namespace

void heddle::addVerify(CLI::App &app, int &status) {
  auto arguments = std::make_shared<Arguments>();
  arguments->model.add(app);
  arguments->threads.add(app);
  CLI::Option *input =
      app.add_option("--input", arguments->input, "a .safetensors file with the inputs; without it they are random");
  CLI::Option *expected =
      app.add_option("--expected", arguments->expected, "a .safetensors file with outputs to compare with as well");
  CLI::Option *library = app.add_option("--library", arguments->library,
                                        "judge this shared library, made from MODEL, instead of compiling");
  app.add_option("--weights", arguments->weights, "FILE: the library's weights, where compile put them apart")
      ->needs(library);
  app.add_option("--variant", arguments->variant,
                 "NAME: the library's code for this CPU (default: the best for the one that it runs on)")
      ->needs(library);
  arguments->compile.add(app, library);
  CLI::Option *runner = arguments->compile.addRunner(app);
  addSeed(app, arguments->seed, input);
  CLI::Option *tolerance =
      app.add_option("--tolerance", arguments->tolerance, "an error that no output may exceed, besides the bound");
  tolerance->check([](const std::string &text) -> std::string {
    double value;
    bool fits = !StringRef(text).getAsDouble(value) && std::isfinite(value) && value >= 0;
    return fits ? "" : "'" + text + "' is no tolerance: expected a number from 0 on";
  });
  CLI::Option *adversarial =
      app.add_flag("--adversarial", arguments->adversarial, "hard inputs as well; prints the table of errors");
  CLI::Option *json = app.add_flag("--json", arguments->json, "print as JSON");
  CLI::Option *stages = app.add_flag("--stages", arguments->stages,
                                     "interpret each kernel after every stage: which one makes it wrong");
  for (CLI::Option *other : {expected, library, runner, tolerance, adversarial, json})
    stages->excludes(other);
  app.callback([arguments, &status] { status = verifyModel(*arguments); });
}
