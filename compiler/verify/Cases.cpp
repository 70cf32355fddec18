//===- Cases.cpp - cases for verifying code -------------------------------===//

#include "heddle/Cases.h"

#include "HardReference.h"

#include "heddle/Inputs.h"
#include "heddle/Memory.h"
#include "heddle/OnnxTestData.h"
#include "heddle/PrintError.h"
#include "heddle/Progress.h"
#include "heddle/Safetensors.h"
#include "interpreter/Footprint.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace heddle;

namespace {

/// Sets the inputs of `test` to the tensors of `inputs`, which were read from `path`.
LogicalResult bindCase(Case &test, func::FuncOp main, const WeightStore &inputs, StringRef path) {
  auto bound = bindInputs(main, inputs, path);
  if (failed(bound) || failed(checkRanges(main, *bound, path)))
    return failure();
  test.inputs = std::move(*bound);
  return success();
}

/// Sets the expected outputs of `test` to the tensors of `expected`, which were read from `path`.
LogicalResult bindCaseExpected(Case &test, func::FuncOp main, const WeightStore &expected, StringRef path) {
  auto bound = bindExpected(main, expected, path);
  if (failed(bound))
    return failure();
  test.expected = std::move(*bound);
  return success();
}

/// Reads the input and output tensors of the test directories `sets`, which ONNX provides together with a model. Each
/// directory becomes a case.
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

/// Appends the adversarial cases, and gives a name to each other case that has none.
LogicalResult addAdversarialCases(std::vector<Case> &cases, const CaseOptions &options, func::FuncOp main) {
  auto hard = adversarialInputs(main, options.seed);
  if (failed(hard))
    return failure();
  for (Case &test : cases)
    if (test.name.empty())
      test.name = options.input.empty() ? "random" : "input";
  for (InputCase &inputs : *hard) {
    Case test{inputs.name, {inputs.inputs.begin(), inputs.inputs.end()}, {}, /*adversarial=*/true};
    test.expected.resize(main.getNumResults());
    cases.push_back(std::move(test));
  }
  return success();
}

/// Returns the cases from test directories if neither an input file nor a file of expected outputs is given. Otherwise
/// returns one case, with the inputs from the input file or with random inputs.
FailureOr<std::vector<Case>> readCases(const CaseOptions &options, MLIRContext &context, func::FuncOp main) {
  if (!options.testData.empty() && options.input.empty() && options.expected.empty())
    return readTestData(context, main, options.testData);
  Case test;
  if (options.input.empty()) {
    auto inputs = randomInputs(main, options.seed);
    if (failed(inputs))
      return failure();
    test.inputs.assign(inputs->begin(), inputs->end());
  } else {
    WeightStore file;
    if (failed(readSafetensors(context, options.input, file)) || failed(bindCase(test, main, file, options.input)))
      return failure();
  }
  test.expected.resize(main.getNumResults());
  WeightStore file;
  if (!options.expected.empty() && (failed(readSafetensors(context, options.expected, file)) ||
                                    failed(bindCaseExpected(test, main, file, options.expected))))
    return failure();
  return std::vector<Case>{std::move(test)};
}

/// Returns the sizes at which the model is verified: the sizes in the input file or, without such a file, all or some
/// combinations of the sizes in the ranges.
FailureOr<std::vector<SizeValues>> chooseSizes(const CaseOptions &options, const Model &model,
                                               ArrayRef<SizeRange> ranges) {
  // If the ranges have at most this many combinations of sizes, all combinations are verified. The limit is lower for
  // adversarial inputs, because they have many cases at each combination.
  constexpr size_t smallRanges = 64, smallOfHard = 16;
  if (ranges.empty() || options.input.empty())
    return sizesToTry(ranges, model.classes, options.seed, options.adversarial ? smallOfHard : smallRanges);
  WeightStore file;
  if (failed(readSafetensors(*model.module.get()->getContext(), options.input, file)))
    return failure();
  auto found = sizesOf(model.main(), file, options.input);
  if (failed(found))
    return failure();
  return std::vector<SizeValues>{*found};
}

/// Excludes the positions at which the input `mask` is 0 from the comparison. Emits an error if no position of a case
/// remains.
LogicalResult selectPositions(MutableArrayRef<Case> cases, func::FuncOp main, StringRef mask) {
  for (Case &test : cases) {
    test.positions = JudgedPositions::of(main, test.inputs, mask);
    if (int64_t all = test.positions->all(); all > 0 && test.positions->leftOut() == all)
      return emitError(main.getLoc()) << "--where " << mask << ": the input is 0 at every position"
                                      << (test.name.empty() ? "" : " in case " + test.name)
                                      << ", so nothing would be compared";
  }
  return success();
}

/// Interprets `model`, the model before its precision was lowered, in f64, and adds its results to `point.inF32`: one
/// entry for each case, which is empty for adversarial cases.
LogicalResult addInF32(PointCases &point, const Model &model, ArrayRef<SizeRange> ranges) {
  FailureOr<Point> at = pointAt(model, ranges, point.sizes);
  if (failed(at))
    return failure();
  InterpreterOptions how;
  how.weights = weightsFrom(at->model.weights);
  for (const Case &test : point.cases) {
    point.inF32.emplace_back();
    if (test.adversarial)
      continue;
    Progress progress("interpreting the f32 model in f64");
    FailureOr<SmallVector<Tensor>> results = interpret(at->main(), withDefaults(at->main(), test.inputs), how);
    if (failed(results))
      return failure();
    point.inF32.back() = std::move(*results);
  }
  return success();
}

} // namespace

FailureOr<std::vector<PointCases>> heddle::prepareCases(const CaseOptions &options, const Model &model, StringRef what,
                                                        const Model *inF32) {
  SizeRanges ranges = rangesOf(model);
  FailureOr<std::vector<SizeValues>> choices = chooseSizes(options, model, ranges);
  if (failed(choices))
    return failure();
  std::vector<PointCases> points;
  uint64_t bytes = 0;
  for (const SizeValues &values : *choices) {
    FailureOr<Point> at = pointAt(model, ranges, values);
    if (failed(at))
      return failure();
    uint64_t sets = options.adversarial ? 1 + countAdversarialInputs(at->main()) : 1;
    bytes = llvm::SaturatingAdd(bytes, comparisonBytes(at->main(), sets));
    // The memory must also hold the results of the model before its precision was lowered.
    if (inF32)
      bytes = llvm::SaturatingAdd(bytes, interpretedBytes(at->main().getResultTypes()));
    points.push_back({std::move(*at), {}, {}, {}, values});
  }
  if (llvm::Error error = checkMemory(what, bytes)) {
    printError(std::move(error));
    return failure();
  }
  for (PointCases &point : points) {
    FailureOr<std::vector<Case>> cases = readCases(options, *model.module.get()->getContext(), point.main());
    if (failed(cases) || (options.adversarial && failed(addAdversarialCases(*cases, options, point.main()))))
      return failure();
    if (!options.where.empty() && failed(selectPositions(*cases, point.main(), options.where)))
      return failure();
    HardReference hard(*point.at.model.module);
    for (Case &test : *cases) {
      Progress progress("interpreting in f64 and f32");
      auto reference = hard.compute(withDefaults(point.main(), test.inputs), weightsFrom(point.at.model.weights));
      if (failed(reference)) {
        bool isRandom = options.input.empty() && options.testData.empty();
        if (isRandom || test.adversarial)
          llvm::errs() << "heddle: the inputs of this case are random, --seed " << options.seed
                       << (isRandom ? "; use --input for inputs from a file\n" : "\n");
        return failure();
      }
      point.references.push_back(std::move(*reference));
    }
    point.cases = std::move(*cases);
    if (inF32 && failed(addInF32(point, *inF32, ranges)))
      return failure();
  }
  return points;
}
