//===- RandomCases.cpp - random inputs for calibration --------------------===//

#include "TokenFrame.h"

#include "heddle/CalibrationCases.h"
#include "heddle/Ranges.h"
#include "heddle/Verify.h"
#include "interpreter/Footprint.h"

#include "Notes.h"
#include "States.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

static constexpr uint64_t seed = 1;

namespace {
/// The sizes of a case and the kind of its inputs.
struct CaseShape {
  int64_t batch, rows;         // the number of sequences, and of tokens in each
  bool isOnlyCompared = false; // whether inputs serve only to compare results, not to find outlier channels
  bool repeats = false;        // whether a sequence has the same token in all positions
};
} // namespace

// Sequences of several lengths: in short sequences, attention averages over few tokens; in long sequences, the elements
// of outlier channels grow.
static constexpr CaseShape plainShapes[] = {{1, 4}, {1, 12}, {1, 48}};
// Inputs that lose the most accuracy in low precision, which are used only to compare results: texts of one or two
// words between special tokens, texts of only one or two tokens, and texts that repeat one word, in which errors do not
// cancel out. Many short texts are needed, because their errors vary more than those of long texts. The first of these
// shapes is used most often: quickCosine compares results only for the first case that is only compared (Trials.h).
static constexpr CaseShape hardShapes[] = {
    {32, 3, true}, {16, 4, true}, {16, 2, true}, {16, 1, true}, {12, 16, true, true}};
// The number of cases for each hard shape if the model has no batch size.
static constexpr size_t hardCopies = 2;

/// Returns whether an input is a mask that distinguishes tokens from padding.
static bool isMask(func::FuncOp main, unsigned argument, const Tensor &input) {
  return !input.isFloat() && input.rank() > 0 && input.size() > 0 &&
         StringRef(argumentName(main, argument)).ends_with("mask");
}

/// Sets the states to their values in a first call, in which no sequence has a past.
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

/// Returns the number of tokens of sequence number `line` that are not padding, according to a mask of ones and zeros;
/// `length` if there is no mask for sequences of this length.
static size_t present(func::FuncOp main, ArrayRef<Tensor> inputs, size_t line, size_t length) {
  for (auto [i, input] : llvm::enumerate(inputs))
    if (isMask(main, i, input) && size_t(input.shape().back()) == length && (line + 1) * length <= input.ints().size())
      return llvm::count(input.ints().slice(line * length, length), 1);
  return length;
}

/// Sets masks so that no token is padding. If sequences are longer than `shape.rows`, because the model has a fixed
/// sequence length, only the first n tokens of each sequence are not padding, where n is 1 for the first sequence, 2
/// for the second, and so on up to `shape.rows`, after which n is 1 again.
static void shorten(func::FuncOp main, const CaseShape &shape, MutableArrayRef<Tensor> inputs) {
  for (auto [i, input] : llvm::enumerate(inputs)) {
    if (!isMask(main, i, input))
      continue;
    size_t length = size_t(input.shape().back()), rows = size_t(shape.rows);
    for (auto [place, element] : llvm::enumerate(input.mutableInts()))
      element = place % length < (length > rows ? 1 + place / length % rows : length);
  }
}

/// Makes random inputs hard to compute accurately, depending on `shape`: sets masks (see shorten), repeats tokens, and
/// replaces the first and last tokens of texts by the special tokens in `frame`.
static void makeHard(func::FuncOp main, const CaseShape &shape, const TokenFrame &frame,
                     MutableArrayRef<Tensor> inputs) {
  shorten(main, shape, inputs);
  for (auto [i, input] : llvm::enumerate(inputs)) {
    auto range = notes::range.get(main, i);
    if (input.isFloat() || input.rank() == 0 || input.size() == 0 || !range || range->high <= 1)
      continue;
    bool areTokens = argumentName(main, i) == "input_ids";
    size_t length = size_t(input.shape().back()), edges = frame.before.size() + frame.after.size();
    MutableArrayRef<int64_t> elements = input.mutableInts();
    for (size_t start = 0; start < elements.size(); start += length) {
      MutableArrayRef<int64_t> line = elements.slice(start, length);
      if (shape.repeats)
        llvm::fill(line, line.front());
      size_t end = present(main, inputs, start / length, length);
      if (!areTokens || end <= edges)
        continue;
      llvm::copy(frame.before, line.begin());
      llvm::copy(frame.after, line.begin() + ptrdiff_t(end - frame.after.size()));
      for (int64_t &token : line)
        token = std::clamp(token, range->low, range->high);
    }
  }
}

namespace {
/// A model imported at the sizes of a case, without inputs.
struct SizedCase {
  Model model;
  CaseShape shape;
};
} // namespace

/// Returns the cases with random inputs. Fails if there is too little memory for all inputs.
static FailureOr<std::vector<CalibrationCase>> withInputs(std::vector<SizedCase> sized, const TokenFrame &frame) {
  uint64_t bytes = 0;
  for (const SizedCase &test : sized)
    bytes = llvm::SaturatingAdd(bytes, interpretedBytes(test.model.main().getArgumentTypes()));
  if (failed(checkCalibrationMemory(*sized.front().model.module, bytes)))
    return failure();
  std::vector<CalibrationCase> cases;
  for (SizedCase &test : sized) {
    func::FuncOp main = test.model.main();
    FailureOr<SmallVector<Tensor>> inputs = randomInputs(main, seed + cases.size());
    if (failed(inputs))
      return failure();
    if (test.shape.isOnlyCompared)
      makeHard(main, test.shape, frame, *inputs);
    if (failed(startStates(main, *inputs)))
      return failure();
    cases.push_back({std::move(test.model), {inputs->begin(), inputs->end()}, test.shape.isOnlyCompared});
  }
  return cases;
}

namespace {
/// The numbers of batch sizes and of lengths (all other sizes) among the sizes of a model's inputs.
struct SizeNames {
  size_t batches = 0, lengths = 0;

  static bool isBatch(StringRef name) { return name.contains_insensitive("batch"); }
  void add(StringRef name) { ++(isBatch(name) ? batches : lengths); }

  /// Returns the value of size `name` for a case. If the model has several lengths, the value of each is a root of the
  /// number of rows, so their product is about this number. Without lengths, the batch sizes share the number of all
  /// rows in the same way.
  int64_t sizeFor(StringRef name, const CaseShape &shape) const {
    if (isBatch(name) && lengths)
      return shape.batch;
    int64_t rows = lengths ? shape.rows : shape.batch * shape.rows;
    return std::max<int64_t>(
        1, std::llround(std::pow(double(rows), 1.0 / double(std::max<size_t>(1, lengths ? lengths : batches)))));
  }

  /// Returns the number of cases for a shape.
  size_t copies(const CaseShape &shape) const { return shape.isOnlyCompared && !batches ? hardCopies : 1; }
};
} // namespace

/// Returns the shapes of the cases, including the hard shapes if `withHard` is set.
static std::vector<CaseShape> shapesFor(bool withHard) {
  std::vector<CaseShape> shapes(std::begin(plainShapes), std::end(plainShapes));
  if (withHard)
    llvm::append_range(shapes, hardShapes);
  return shapes;
}

/// Returns cases of small sizes if the model has dimensions without a fixed size and can be imported at small sizes;
/// none otherwise.
static std::vector<SizedCase> openCases(MLIRContext &context, StringRef path, ImportOptions options,
                                        ArrayRef<CaseShape> shapes) {
  std::vector<OpenDim> open = openDimensions(context, path, options);
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) { return success(); });
  std::vector<SizedCase> cases;
  llvm::SetVector<StringRef> names, ofStates;
  for (const OpenDim &dim : open)
    (dim.places.empty() ? ofStates : names).insert(dim.name);
  SizeNames sizes;
  for (StringRef name : names)
    sizes.add(name);
  for (const CaseShape &shape : open.empty() ? ArrayRef<CaseShape>() : shapes)
    for (size_t copy = 0; copy < sizes.copies(shape); ++copy) {
      ImportOptions sized = options;
      for (StringRef name : names)
        sized.dims[name] = sizes.sizeFor(name, shape);
      for (StringRef name : ofStates)
        sized.dims[name] = shape.rows;
      FailureOr<Model> model = importModel(context, path, sized);
      if (failed(model) && shape.isOnlyCompared) // the model does not support this shape, for example this batch size
        continue;
      if (failed(model))
        return {};
      cases.push_back({std::move(*model), shape});
    }
  return cases;
}

FailureOr<std::vector<CalibrationCase>> heddle::randomCases(const Model &model, StringRef path,
                                                            const ImportOptions &options, bool withHard) {
  std::vector<CaseShape> shapes = shapesFor(withHard);
  std::vector<SizedCase> cases = openCases(*model.module.get()->getContext(), path, options, shapes);
  TokenFrame frame = readTokenFrame(path);
  if (!cases.empty())
    return withInputs(std::move(cases), frame);
  SizeRanges ranges = rangesOf(model);
  SizeNames sizes;
  for (const SizeRange &range : ranges)
    if (range.low < range.high)
      sizes.add(range.name);
  for (const CaseShape &shape : shapes)
    for (size_t copy = 0; copy < sizes.copies(shape); ++copy) {
      SizeValues values;
      for (const SizeRange &range : ranges)
        values.push_back(
            size_t(std::clamp(sizes.sizeFor(range.name, shape), std::max<int64_t>(1, range.low), range.high)));
      FailureOr<Point> at = pointAt(model, ranges, values);
      if (failed(at))
        return failure();
      cases.push_back({std::move(at->model), shape});
    }
  return withInputs(std::move(cases), frame);
}
