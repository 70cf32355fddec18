//===- Verify.cpp - heddle verify -----------------------------------------===//

#include "Calls.h"
#include "CompileArguments.h"
#include "Inputs.h"
#include "ModelArguments.h"

#include "heddle/Safetensors.h"
#include "heddle/Verify.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace heddle;

namespace {

struct Arguments {
  ModelArguments model;
  CompileArguments compile;
  ThreadArguments threads;
  std::string input, expected, library;
  uint64_t seed = 1;
  double tolerance = -1;
  bool json = false;
};

/// One set of inputs and what is known of the outputs.
struct Case {
  std::vector<std::optional<Tensor>> inputs, expected;
};

FailureOr<Case> readCase(const Arguments &arguments, MLIRContext &context, func::FuncOp main) {
  Case result;
  if (arguments.input.empty()) {
    auto inputs = randomInputs(main, arguments.seed);
    if (failed(inputs))
      return failure();
    result.inputs.assign(inputs->begin(), inputs->end());
    llvm::errs() << "heddle: inputs are random, --seed " << arguments.seed << "\n";
  } else {
    WeightStore file;
    if (failed(readSafetensors(context, arguments.input, file)))
      return failure();
    auto inputs = bindInputs(main, file, arguments.input);
    if (failed(inputs) || failed(checkRanges(main, *inputs, arguments.input)))
      return failure();
    result.inputs = std::move(*inputs);
  }
  result.expected.resize(main.getNumResults());
  if (arguments.expected.empty())
    return result;
  WeightStore file;
  if (failed(readSafetensors(context, arguments.expected, file)))
    return failure();
  auto expected = bindExpected(main, file, arguments.expected);
  if (failed(expected))
    return failure();
  result.expected = std::move(*expected);
  return result;
}

/// The user's own bound, besides the contract's.
void applyTolerance(Comparison &comparison, double tolerance) {
  if (tolerance < 0 || !comparison.ok || comparison.error <= tolerance)
    return;
  comparison.ok = false;
  comparison.problem = llvm::formatv("error above --tolerance {0}", tolerance);
}

std::vector<Comparison> judge(func::FuncOp main, const Case &test, ArrayRef<Tensor> actual, const Reference &reference,
                              double tolerance) {
  std::vector<Comparison> comparisons;
  for (auto [i, output] : llvm::enumerate(actual)) {
    std::string name = resultName(main, i);
    const Tensor &wide = reference.wide[i], &narrow = reference.narrow[i];
    comparisons.push_back(compare(name, output, wide, narrow));
    if (test.expected[i])
      comparisons.push_back(compareExpected(name, output, *test.expected[i], wide, narrow));
  }
  for (Comparison &comparison : comparisons)
    applyTolerance(comparison, tolerance);
  return comparisons;
}

void printJson(ArrayRef<Comparison> comparisons) {
  llvm::json::OStream json(llvm::outs(), 2);
  json.array([&] {
    for (const Comparison &comparison : comparisons)
      json.object([&] {
        json.attribute("output", comparison.output);
        json.attribute("against", comparison.against);
        json.attributeArray("shape", [&] {
          for (int64_t size : comparison.shape)
            json.value(size);
        });
        json.attribute("type", comparison.elementType);
        json.attribute("max_abs_error", comparison.error);
        json.attribute("bound", comparison.bound);
        json.attribute("ok", comparison.ok);
        json.attribute("problem", comparison.problem);
      });
  });
  llvm::outs() << "\n";
}

int verifyModel(const Arguments &arguments) {
  auto context = createContext();
  int status = ExitBad;
  std::optional<Model> model = arguments.model.import(*context, status);
  if (!model)
    return status;
  // The judge takes the model as it was imported, before anything was recognised in it.
  OwningOpRef<ModuleOp> imported = model->module->clone();
  auto main = imported->lookupSymbol<func::FuncOp>("main");
  FailureOr<Case> test = readCase(arguments, *context, main);
  if (failed(test))
    return ExitBad;
  auto reference = computeReference(main, withDefaults(main, test->inputs), weightsFrom(model->weights));
  if (failed(reference))
    return ExitBad;
  std::unique_ptr<Session> session;
  if (arguments.library.empty()) {
    session = compileHere(*context, std::move(*model), arguments.compile);
  } else if (auto loaded = Session::fromLibrary(arguments.library)) {
    session = std::move(*loaded);
    if (failed(checkInterface(session->model(), main, arguments.library)))
      return ExitBad;
  } else {
    printError(loaded.takeError());
  }
  if (!session)
    return ExitBad;
  ExecutorPtr executor = createExecutor(arguments.threads);
  auto actual = call(*session, main, test->inputs, executor.get());
  if (failed(actual))
    return ExitBad;
  std::vector<Comparison> comparisons = judge(main, *test, *actual, *reference, arguments.tolerance);
  if (arguments.json)
    printJson(comparisons);
  else
    for (const Comparison &comparison : comparisons)
      llvm::outs() << comparison.text() << "\n";
  return llvm::all_of(comparisons, [](const Comparison &comparison) { return comparison.ok; }) ? ExitDone : ExitBad;
}

} // namespace

void heddle::addVerify(CLI::App &app, int &status) {
  auto arguments = std::make_shared<Arguments>();
  arguments->model.add(app);
  arguments->compile.add(app);
  arguments->threads.add(app);
  app.add_option("--input", arguments->input, "a .safetensors file with the inputs; without it they are random");
  app.add_option("--expected", arguments->expected, "a .safetensors file with outputs to compare with as well");
  app.add_option("--library", arguments->library, "judge this shared library, made from MODEL, instead of compiling");
  app.add_option("--seed", arguments->seed, "of random inputs")->capture_default_str();
  app.add_option("--tolerance", arguments->tolerance, "an error that no output may exceed, besides the bound")
      ->check(CLI::NonNegativeNumber);
  app.add_flag("--json", arguments->json, "print as JSON");
  app.callback([arguments, &status] { status = verifyModel(*arguments); });
}
