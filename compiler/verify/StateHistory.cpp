//===- StateHistory.cpp - the rows that make up a state -------------------===//

#include "StateHistory.h"

#include "heddle/Inputs.h"

#include "Notes.h"

#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

RowInputs::RowInputs(func::FuncOp main, ArrayRef<SizeRange> ranges) {
  FailureOr<States> states = readStates(main);
  if (failed(states))
    return;
  // If a state is stored in a type narrower than f32, rounding may hide or enlarge the differences that another order
  // of a sum causes. A model with such a state is therefore not compared.
  for (const State &state : states->all)
    if (!getElementTypeOrSelf(main.getArgumentTypes()[state.argument]).isF32())
      return;
  auto found = llvm::find_if(ranges, [&](const SizeRange &range) { return range.placeholder == states->sizes.rows; });
  if (found == ranges.end())
    return;
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    dims.emplace_back();
    if (notes::state.has(main, i) || states->past == i)
      continue;
    ArrayRef<int64_t> shape = cast<RankedTensorType>(main.getArgumentTypes()[i]).getShape();
    bool isOfSequences = !shape.empty() && shape.front() == states->sizes.batch;
    auto isRows = [&](int64_t extent) { return extent == found->placeholder; };
    if (isOfSequences && llvm::count_if(shape.drop_front(), isRows) == 1)
      dims.back() = unsigned(llvm::find_if(shape.drop_front(), isRows) - shape.begin());
    else if (!notes::defaultValue.has(main, i))
      return;
  }
  size = unsigned(found - ranges.begin());
}

/// Calls `body` for each element of row `row` of one sequence of an input. The arguments of `body` are the offset of
/// the element in the input and the number of the element within the row.
static void forEachOfRow(ArrayRef<int64_t> shape, unsigned dim, int64_t sequence, int64_t row,
                         function_ref<void(int64_t, int64_t)> body) {
  SmallVector<int64_t> strides = Tensor::strides(shape), part(shape);
  part[0] = part[dim] = 1;
  int64_t number = 0;
  forEachIndex(part, [&](ArrayRef<int64_t> index) {
    int64_t place = sequence * strides[0] + row * strides[dim];
    for (auto [i, stride] : llvm::zip_equal(index, strides))
      place += i * stride;
    body(place, number++);
  });
}

void StateHistory::add(ArrayRef<Tensor> inputs, ArrayRef<int64_t> past) {
  for (auto [sequence, all] : llvm::enumerate(fed)) {
    all.resize(size_t(past[sequence]));
    for (auto [i, input] : llvm::enumerate(inputs)) {
      std::optional<unsigned> dim = rows.dimOf(unsigned(i));
      if (!dim)
        continue;
      size_t count = size_t(input.dim(*dim));
      all.resize(size_t(past[sequence]) + count, Row(inputs.size()));
      for (size_t row = 0; row < count; ++row) {
        SmallVector<int64_t> places;
        forEachOfRow(input.shape(), *dim, int64_t(sequence), int64_t(row),
                     [&](int64_t place, int64_t) { places.push_back(place); });
        all[size_t(past[sequence]) + row][i] = input.picked({int64_t(places.size())}, places);
      }
    }
  }
}

namespace {
/// A call of the interpreter that does not belong to a script, with a model of its own.
struct Lone {
  Point point;
  States states;
  SmallVector<Tensor> inputs;

  FailureOr<SmallVector<Tensor>> interpret() {
    InterpreterOptions options;
    options.precision = Precision::F64;
    options.weights = weightsFrom(point.model.weights);
    return heddle::interpret(point.main(), inputs, options);
  }
};
} // namespace

/// Prepares a call that has no past and appends the rows `fed` to every sequence. Optional inputs without a dimension
/// of rows have their default values. In states to which calls append rows, all rows are NaN.
static FailureOr<Lone> makeCall(const Model &model, ArrayRef<SizeRange> ranges, SizeValues sizes, const RowInputs &rows,
                                ArrayRef<SmallVector<Tensor>> fed) {
  sizes[rows.sizeNumber()] = fed.size();
  FailureOr<Point> point = pointAt(model, ranges, sizes);
  if (failed(point))
    return failure();
  func::FuncOp main = point->main();
  FailureOr<States> states = readStates(main);
  if (failed(states))
    return failure();
  SmallVector<Tensor> inputs;
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    auto type = cast<RankedTensorType>(main.getArgumentTypes()[i]);
    Tensor input(type.getShape(), type.getElementType());
    if (std::optional<unsigned> dim = rows.dimOf(i)) {
      for (int64_t sequence = 0; sequence < input.dim(0); ++sequence)
        for (auto [row, parts] : llvm::enumerate(fed))
          forEachOfRow(type.getShape(), *dim, sequence, int64_t(row),
                       [&, &part = parts[i]](int64_t place, int64_t number) {
                         if (input.isFloat())
                           input.mutableFloats()[size_t(place)] = part.floats()[size_t(number)];
                         else
                           input.mutableInts()[size_t(place)] = part.ints()[size_t(number)];
                       });
    } else if (std::optional<int64_t> value = notes::defaultValue.get(main, i)) {
      llvm::fill(input.mutableInts(), *value);
    }
    inputs.push_back(std::move(input));
  }
  for (const State &state : states->all)
    if (!state.isReplaced)
      llvm::fill(inputs[state.argument].mutableFloats(), NAN);
  return Lone{std::move(*point), std::move(*states), std::move(inputs)};
}

namespace {
/// The distance between two tensors, element by element.
struct OutputDistance {
  double error = 0, magnitude = 1; // the largest difference, and the largest magnitude, at least 1
  bool isOther = false; // whether exactly one of two numbers is NaN, a number is infinite, or integers differ

  void add(double a, double b) {
    isOther |= std::isnan(a) != std::isnan(b) || std::isinf(a) || std::isinf(b);
    if (!std::isnan(a) && !std::isnan(b)) {
      error = std::max(error, std::fabs(a - b));
      magnitude = std::max(magnitude, std::fabs(b));
    }
  }
};
} // namespace

/// Returns the distance between two results for one sequence: `some` from a call with `count` rows, `all` from a call
/// with `total` rows. If the output has a dimension of rows, compares the last `count` rows of the sequence, otherwise
/// the whole output for the sequence.
static OutputDistance distanceOfOutput(const Tensor &some, const Tensor &all, int64_t sequence, int64_t count,
                                       int64_t total) {
  OutputDistance distance;
  ArrayRef<int64_t> shape = some.shape();
  SmallVector<int64_t> ends(all.shape());
  std::optional<unsigned> dim;
  for (unsigned i = 1; i < shape.size() && !dim; ++i)
    if (shape[i] == count && ends[i] == total)
      dim = i;
  for (int64_t row = 0; row < (dim ? count : 1); ++row) {
    SmallVector<int64_t> places;
    auto note = [&](int64_t place, int64_t) { places.push_back(place); };
    forEachOfRow(shape, dim.value_or(0), dim ? sequence : 0, dim ? row : sequence, note);
    size_t others = 0;
    auto compare = [&](int64_t place, int64_t) {
      size_t here = size_t(places[others++]);
      if (some.isFloat())
        distance.add(some.floats()[here], all.floats()[size_t(place)]);
      else
        distance.isOther |= some.ints()[here] != all.ints()[size_t(place)];
    };
    forEachOfRow(ends, dim.value_or(0), dim ? sequence : 0, dim ? total - count + row : sequence, compare);
  }
  return distance;
}

FailureOr<double> StateHistory::compareToOneCall(const Model &model, ArrayRef<SizeRange> ranges, SizeValues sizes,
                                                 size_t sequence, size_t count, ArrayRef<Tensor> kept) const {
  ArrayRef<Row> all = fed[sequence];
  FailureOr<Lone> whole = makeCall(model, ranges, sizes, rows, all);
  if (failed(whole))
    return failure();
  FailureOr<Lone> last = makeCall(model, ranges, sizes, rows, all.take_back(count));
  if (failed(last))
    return failure();
  bool hasReplaced = llvm::any_of(last->states.all, [](const State &state) { return state.isReplaced; });
  double worst = 0;
  auto note = [&](StringRef what, const OutputDistance &distance) {
    worst = std::max(worst, distance.error / distance.magnitude);
    if (distance.isOther)
      llvm::errs() << "heddle: error: for sequence " << sequence << ", the interpreter's '" << what
                   << "' after several calls differs from that after one call that gets all " << all.size()
                   << " rows and no past\n";
    return success(!distance.isOther);
  };
  FailureOr<SmallVector<Tensor>> wanted = whole->interpret();
  if (failed(wanted))
    return failure();
  for (auto [state, tensor] : llvm::zip_equal(whole->states.all, kept)) {
    OutputDistance distance;
    const Tensor &other = (*wanted)[state.result];
    int64_t heads = state.isReplaced ? 1 : tensor.dim(1), ofSequence = tensor.size() / tensor.dim(0);
    int64_t filled = state.isReplaced ? ofSequence : int64_t(all.size()) * tensor.dim(3);
    for (int64_t head = 0; head < heads; ++head)
      for (int64_t i = 0; i < filled; ++i) {
        int64_t place = int64_t(sequence) * ofSequence + head * (ofSequence / heads) + i;
        distance.add(tensor.floats()[size_t(place)], other.floats()[size_t(place)]);
      }
    if (failed(note(state.name, distance)))
      return failure();
  }
  // If each call replaces a state as a whole, the state before the last `count` rows has been overwritten, so a call
  // with these rows alone cannot be repeated.
  if (hasReplaced)
    return worst;
  for (auto [state, tensor] : llvm::zip_equal(last->states.all, kept))
    last->inputs[state.argument] = tensor;
  last->inputs[*last->states.past].mutableInts()[sequence] = int64_t(all.size() - count);
  FailureOr<SmallVector<Tensor>> found = last->interpret();
  if (failed(found))
    return failure();
  func::FuncOp main = last->point.main();
  for (unsigned i = 0; i < main.getNumResults(); ++i)
    if (!notes::state.getOfResult(main, i) &&
        failed(note(resultName(main, i), distanceOfOutput((*found)[i], (*wanted)[i], int64_t(sequence), int64_t(count),
                                                          int64_t(all.size())))))
      return failure();
  return worst;
}
