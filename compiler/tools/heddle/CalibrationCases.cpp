//===- CalibrationCases.cpp - what layers are seen at work on -------------===//

#include "CalibrationCases.h"

#include "InputSizes.h"
#include "Inputs.h"
#include "Ranges.h"

#include "heddle/Safetensors.h"
#include "heddle/Verify.h"

#include "Notes.h"
#include "States.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

// Rows of several lengths: one alone has no neighbours to be averaged with, and in long ones outliers grow.
static constexpr int64_t rowCounts[] = {4, 12, 48};
static constexpr uint64_t seed = 1;

static func::FuncOp mainOf(const Model &model) { return model.module.get().lookupSymbol<func::FuncOp>("main"); }

/// `options` without sizes, and which ones the model leaves open then.
static std::vector<OpenDim> leaveOpen(MLIRContext &context, StringRef path, ImportOptions &options) {
  // What goes wrong here is said where the model is imported for its own sizes, or nothing of the user's.
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) { return success(); });
  options.dims.clear();
  options.ranges.clear();
  ImportOptions asking = options;
  std::vector<OpenDim> open;
  bool wrongUsage = false;
  asking.openDims = &open;
  asking.wrongUsage = &wrongUsage;
  (void)importModel(context, path, asking);
  options.openDims = nullptr;
  options.wrongUsage = nullptr;
  return open;
}

/// What was asked for, of a size that no input has: how much a state holds.
static int64_t askedFor(const ImportOptions &options, const OpenDim &dim) {
  for (const DimRange &range : options.ranges)
    if (range.name == dim.name)
      return range.high;
  auto given = options.dims.find(dim.name);
  return given == options.dims.end() ? dim.suggestion : given->second;
}

/// The model of the sizes that the file tells.
static FailureOr<Point> pointOf(const Model &model, StringRef path, ImportOptions options, const WeightStore &file,
                                StringRef filePath) {
  MLIRContext &context = *model.module.get()->getContext();
  ImportOptions asked = options;
  if (std::vector<OpenDim> open = leaveOpen(context, path, options); !open.empty()) {
    llvm::erase_if(open, [&](const OpenDim &dim) {
      if (dim.places.empty())
        options.dims[dim.name] = askedFor(asked, dim);
      return dim.places.empty();
    });
    FailureOr<Model> told = importAsTold(context, path, options, open, filePath);
    return failed(told) ? FailureOr<Point>() : FailureOr<Point>(Point{{}, "", std::move(*told)});
  }
  SizeRanges ranges = rangesOf(model);
  FailureOr<SizeValues> values = ranges.empty() ? SizeValues() : sizesOf(mainOf(model), file, filePath);
  return failed(values) ? FailureOr<Point>() : pointAt(model, ranges, *values);
}

/// As in a first call: nothing of a sequence is in a state.
static LogicalResult startStates(func::FuncOp main, MutableArrayRef<Tensor> inputs) {
  FailureOr<States> states = readStates(main);
  if (failed(states))
    return failure();
  auto clear = [&](unsigned argument) {
    auto type = cast<RankedTensorType>(main.getArgument(argument).getType());
    inputs[argument] = Tensor(type.getShape(), type.getElementType());
  };
  for (const State &state : states->all)
    clear(state.argument);
  if (states->past)
    clear(*states->past);
  return success();
}

/// Layers are seen at work on numbers: what is none, and nothing but zeros, are errors at `path`. -inf is what masks
/// are made of.
static LogicalResult checkNumbers(func::FuncOp main, ArrayRef<std::optional<Tensor>> inputs, StringRef path) {
  Location loc = FileLineColLoc::get(main.getContext(), path, 0, 0);
  bool onlyZeros = true;
  for (auto [port, input] : llvm::zip_equal(inputPorts(main), inputs)) {
    if (!input)
      continue;
    StringRef name = port.name;
    auto error = [&] { return emitError(loc) << "tensor '" << name << "': "; };
    bool isZero = input->isFloat() || llvm::all_of(input->ints(), [](int64_t value) { return value == 0; });
    if (port.isPast && !isZero)
      return error() << "layers are seen at work in a first call, which has no past";
    for (auto [i, value] : llvm::enumerate(input->isFloat() ? input->floats() : ArrayRef<double>())) {
      if (std::isnan(value) || value == INFINITY)
        return error() << "element " << indexText(input->shape(), i) << " is "
                       << (std::isnan(value) ? "nan" : "infinite") << ": layers are seen at work on finite numbers";
      isZero &= value == 0;
    }
    onlyZeros &= isZero;
  }
  if (onlyZeros)
    return emitError(loc) << "its inputs are zeros only, which do not tell what is large in the model at work";
  return success();
}

/// All arguments of `main`: the states between the others.
static std::vector<Tensor> withStates(func::FuncOp main, std::vector<Tensor> inputs) {
  std::vector<Tensor> all;
  auto next = inputs.begin();
  for (auto [i, type] : llvm::enumerate(main.getArgumentTypes())) {
    auto tensor = cast<RankedTensorType>(type);
    all.push_back(notes::state.has(main, i) ? Tensor(tensor.getShape(), tensor.getElementType()) : std::move(*next++));
  }
  return all;
}

FailureOr<std::vector<CalibrationCase>> heddle::casesFromFile(const Model &model, StringRef modelPath,
                                                              const ImportOptions &options, StringRef path) {
  WeightStore file;
  if (failed(readSafetensors(*model.module.get()->getContext(), path, file)))
    return failure();
  FailureOr<Point> at = pointOf(model, modelPath, options, file, path);
  if (failed(at))
    return failure();
  auto inputs = bindInputs(at->main(), file, path);
  if (failed(inputs) || failed(checkRanges(at->main(), *inputs, path)) ||
      failed(checkNumbers(at->main(), *inputs, path)))
    return failure();
  std::vector<CalibrationCase> cases;
  std::vector<Tensor> bound = withStates(at->main(), withDefaults(at->main(), *inputs));
  cases.push_back({std::move(at->model), std::move(bound)});
  return cases;
}

static LogicalResult addRandom(std::vector<CalibrationCase> &cases, Model model, uint64_t seed) {
  FailureOr<SmallVector<Tensor>> inputs = randomInputs(mainOf(model), seed);
  if (failed(inputs) || failed(startStates(mainOf(model), *inputs)))
    return failure();
  cases.push_back({std::move(model), {inputs->begin(), inputs->end()}});
  return success();
}

/// What each of `count` sizes is for so many rows.
static int64_t sizeFor(int64_t rows, size_t count) {
  return std::max<int64_t>(1, std::llround(std::pow(double(rows), 1.0 / double(std::max<size_t>(1, count)))));
}

/// How many rows there are in one input is a matter of the other sizes.
static bool isBatch(StringRef name) { return name.contains_insensitive("batch"); }

/// At small sizes, where the model leaves them open and can have these; none where not.
static std::vector<CalibrationCase> openCases(MLIRContext &context, StringRef path, ImportOptions options) {
  std::vector<OpenDim> open = leaveOpen(context, path, options);
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) { return success(); });
  std::vector<CalibrationCase> cases;
  llvm::SetVector<StringRef> names, ofStates;
  for (const OpenDim &dim : open)
    (dim.places.empty() ? ofStates : names).insert(dim.name);
  size_t lengths = llvm::count_if(names, [](StringRef name) { return !isBatch(name); });
  for (int64_t rows : open.empty() ? ArrayRef<int64_t>() : ArrayRef<int64_t>(rowCounts)) {
    ImportOptions sized = options;
    for (StringRef name : names)
      sized.dims[name] = isBatch(name) && lengths ? 1 : sizeFor(rows, lengths ? lengths : names.size());
    for (StringRef name : ofStates)
      sized.dims[name] = rows;
    FailureOr<Model> model = importModel(context, path, sized);
    if (failed(model) || failed(addRandom(cases, std::move(*model), seed + cases.size())))
      return {};
  }
  return cases;
}

FailureOr<std::vector<CalibrationCase>> heddle::randomCases(const Model &model, StringRef path,
                                                            const ImportOptions &options) {
  std::vector<CalibrationCase> cases = openCases(*model.module.get()->getContext(), path, options);
  if (!cases.empty())
    return cases;
  SizeRanges ranges = rangesOf(model);
  size_t count = llvm::count_if(ranges, [](const SizeRange &range) { return range.low < range.high; });
  for (int64_t rows : rowCounts) {
    SizeValues values;
    for (const SizeRange &range : ranges)
      values.push_back(size_t(std::clamp(sizeFor(rows, count), std::max<int64_t>(1, range.low), range.high)));
    FailureOr<Point> at = pointAt(model, ranges, values);
    if (failed(at) || failed(addRandom(cases, std::move(at->model), seed + cases.size())))
      return failure();
  }
  return cases;
}
