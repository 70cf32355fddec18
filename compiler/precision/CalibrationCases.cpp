//===- CalibrationCases.cpp - inputs for calibration, from a file ---------===//

#include "heddle/CalibrationCases.h"

#include "heddle/InputSizes.h"
#include "heddle/Inputs.h"
#include "heddle/Ranges.h"
#include "heddle/Safetensors.h"
#include "interpreter/Footprint.h"

#include "Notes.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

std::vector<OpenDim> heddle::openDimensions(MLIRContext &context, StringRef path, ImportOptions &options) {
  // Errors are not printed here. If an error also occurs at the sizes that the user gave, the import at those sizes
  // prints it; otherwise the user does not need to see it.
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) { return success(); });
  options.dims.clear();
  options.ranges.clear();
  return importModel(context, path, options).openDims;
}

/// Returns the value of a size that does not occur in any input, such as the capacity of a state: the number that the
/// user gave, the upper end of the user's range, or the size that the importer suggests.
static int64_t requestedSize(const ImportOptions &options, const OpenDim &dim) {
  for (const DimRange &range : options.ranges)
    if (range.name == dim.name)
      return range.high;
  auto given = options.dims.find(dim.name);
  return given == options.dims.end() ? dim.suggestion : given->second;
}

/// Returns the model at the sizes of the tensors in `file`, which was read from `filePath`. The model was imported from
/// `path` with `options`.
static FailureOr<Point> pointOf(const Model &model, StringRef path, ImportOptions options, const WeightStore &file,
                                StringRef filePath) {
  MLIRContext &context = *model.module.get()->getContext();
  ImportOptions asked = options;
  if (std::vector<OpenDim> open = openDimensions(context, path, options); !open.empty()) {
    llvm::erase_if(open, [&](const OpenDim &dim) {
      if (dim.places.empty())
        options.dims[dim.name] = requestedSize(asked, dim);
      return dim.places.empty();
    });
    FailureOr<Model> atSizes = importAtSizes(context, path, options, open, filePath);
    return failed(atSizes) ? FailureOr<Point>() : FailureOr<Point>(Point{{}, "", std::move(*atSizes)});
  }
  SizeRanges ranges = rangesOf(model);
  FailureOr<SizeValues> values = ranges.empty() ? SizeValues() : sizesOf(model.main(), file, filePath);
  return failed(values) ? FailureOr<Point>() : pointAt(model, ranges, *values);
}

/// Checks that the inputs are suitable for calibration: elements must be finite or, as in masks, -inf; the past must be
/// 0; and at least one element of an input must not be 0. Errors are emitted at `path`.
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
      return error() << "expected 0, because calibration runs a first call, which has no past";
    for (auto [i, value] : llvm::enumerate(input->isFloat() ? input->floats() : ArrayRef<double>())) {
      if (std::isnan(value) || value == INFINITY)
        return error() << "element " << indexText(input->shape(), i) << " is "
                       << (std::isnan(value) ? "nan" : "infinite")
                       << ": calibration needs numbers that are finite or -inf";
      isZero &= value == 0;
    }
    onlyZeros &= isZero;
  }
  if (onlyZeros)
    return emitError(loc)
           << "all inputs in this file are zeros, so calibration cannot find the columns with large elements";
  return success();
}

/// Returns all arguments of `main` in their order: the inputs, and zeros for the states.
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
  if (failed(checkCalibrationMemory(*at->model.module, interpretedBytes(at->main().getArgumentTypes()))))
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
