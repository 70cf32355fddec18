//===- StateScript.cpp - a script of calls on states ----------------------===//

#include "StateScript.h"

#include "heddle/Calls.h"
#include "heddle/Inputs.h"

#include "SizeExpression.h"
#include "Sizes.h"

#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace heddle;

// The maxima of the sizes on which states depend, and of all other sizes. A larger size is used only if it is the
// minimum of its range, because the interpreter also runs each call and is slow.
static constexpr int64_t maxOfStates = 40, maxOfCalls = 9;
static constexpr unsigned maxStates = 2; // the number of states that a script uses

StateScript::StateScript(const Model &model, ArrayRef<SizeRange> ranges, Session &session, StringRef source,
                         uint64_t seed)
    : model(model), ranges(ranges), session(session), source(source), seed(seed), random(seed),
      rowInputs(model.main(), ranges) {
  auto main = model.main();
  Sizes sizes(main);
  isOfStates.assign(ranges.size(), false);
  for (const Port &state : statePorts(main))
    for (int64_t number : state.type.getShape()) {
      Extent extent = sizes.of(number);
      for (StringRef name : extent.sizes())
        for (unsigned size : sizes.expressionOf(*sizes.find(name)).sizes())
          isOfStates[size] = true;
    }
  chooseBase();
}

bool StateScript::hasRoom(const SizeValues &values) const {
  auto main = model.main();
  FailureOr<States> read = readStates(main);
  if (failed(read) || read->sizes.capacity == 0)
    return true;
  Sizes sizes(main);
  std::vector<int64_t> numbers(values.begin(), values.end());
  return sizes.at(sizes.of(read->sizes.rows), numbers) <= sizes.at(sizes.of(read->sizes.capacity), numbers);
}

void StateScript::chooseBase() {
  constexpr int maxTries = 100;
  for (int i = 0; i < maxTries && (base.empty() || !hasRoom(base)); ++i) {
    base.clear();
    for (auto [range, isOfState] : llvm::zip_equal(ranges, isOfStates)) {
      int64_t maximum = std::min(range.high, std::max(range.low, maxOfStates));
      base.push_back(size_t(range.low) + (isOfState ? below(uint64_t(maximum - range.low + 1)) : 0));
    }
  }
}

FailureOr<StateScript::At *> StateScript::at(const SizeValues &values) {
  std::unique_ptr<At> &found = known[values];
  if (found)
    return found.get();
  FailureOr<Point> point = pointAt(model, ranges, values);
  if (failed(point))
    return failure();
  FailureOr<States> read = readStates(point->main());
  FailureOr<SizeValues> sizes = checkInterface(session.model(), point->main(), sizesByName(ranges, values), source);
  if (failed(read) || failed(sizes))
    return failure();
  found = std::make_unique<At>(At{std::move(*point), std::move(*sizes), std::move(*read), {}});
  found->weights = weightsFrom(found->point.model.weights);
  return found.get();
}

FailureOr<StateScript::At *> StateScript::chooseSizes() {
  if (!hasRoom(base)) {
    llvm::errs() << source
                 << ": error: the rows of a call do not fit into the state; give the state a larger capacity\n";
    return failure();
  }
  SizeValues values = base; // sizes on which no state depends have their minimum here
  for (auto [i, range] : llvm::enumerate(ranges))
    if (!isOfStates[i]) {
      int64_t maximum = oneIn(2) ? range.low : std::min(range.high, std::max(range.low, maxOfCalls));
      values[i] = size_t(range.low) + below(uint64_t(maximum - range.low + 1));
    }
  return at(hasRoom(values) ? values : base);
}

LogicalResult StateScript::addState(const At &at) {
  Kept kept{std::make_unique<StateMemory>(session, /*atEnd=*/oneIn(2)),
            {},
            {},
            std::vector<int64_t>(at.states.sizes.batch, 0),
            StateHistory(rowInputs, size_t(at.states.sizes.batch))};
  // The library must not depend on the contents of the memory before it initialises the state.
  std::fill(kept.memory->bytes().begin(), kept.memory->bytes().end(), char(0xff));
  for (const State &state : at.states.all) {
    auto type = cast<RankedTensorType>(at.point.main().getArgumentTypes()[state.argument]);
    kept.wide.push_back(Tensor::uninitialized(type.getShape(), type.getElementType()));
  }
  kept.narrow = kept.wide;
  if (heddle_status status = kept.memory->init()) {
    llvm::errs() << source << ": error: a state cannot be initialised: " << heddle_status_text(status) << "\n";
    return failure();
  }
  states.push_back(std::move(kept));
  return success();
}

LogicalResult StateScript::begin() {
  FailureOr<At *> first = chooseSizes();
  if (failed(first))
    return failure();
  session.setSizes((*first)->sizes);
  for (unsigned i = 0; i < maxStates; ++i)
    if (failed(addState(**first)))
      return failure();
  return success();
}

/// Chooses the past (the number of filled rows before a call) of each sequence. The past is usually the number of rows
/// that earlier calls filled, reduced if the new rows would otherwise exceed the capacity. Sometimes it is a smaller
/// random number. If each call replaces a state, the past can only be the number of filled rows or 0.
std::vector<int64_t> StateScript::choosePast(const At &at, const Kept &kept) {
  bool hasReplaced = llvm::any_of(at.states.all, [](const State &state) { return state.isReplaced; });
  std::vector<int64_t> past;
  for (int64_t filled : kept.filled) {
    int64_t maximum =
        at.states.sizes.capacity ? std::min(filled, at.states.sizes.capacity - at.states.sizes.rows) : filled;
    bool rewinds = at.states.past && oneIn(4);
    if (hasReplaced)
      past.push_back(maximum < filled || rewinds ? 0 : filled);
    else
      past.push_back(rewinds ? int64_t(below(uint64_t(maximum + 1))) : maximum);
  }
  return past;
}

/// Calls `body` with a range of rows for each sequence and head of a state [sequence, head, row, element]. The range is
/// given by the index of its first element and its number of elements. `rows` returns, for a sequence, the first row of
/// the range and the row after its last row.
static void forEachRows(ArrayRef<int64_t> shape, function_ref<std::pair<int64_t, int64_t>(int64_t)> rows,
                        function_ref<void(int64_t, int64_t)> body) {
  for (int64_t b = 0; b < shape[0]; ++b)
    for (int64_t h = 0; h < shape[1]; ++h) {
      auto [first, last] = rows(b);
      body(((b * shape[1] + h) * shape[2] + first) * shape[3], (last - first) * shape[3]);
    }
}

void StateScript::spoil(Call &call) {
  const At &at = call.at;
  Kept &kept = call.kept;
  const std::vector<int64_t> &past = call.past;
  for (unsigned i = 0; i < at.states.all.size(); ++i) {
    MutableArrayRef<char> bytes = kept.memory->tensor(call.session, i);
    ArrayRef<int64_t> shape = kept.wide[i].shape();
    int64_t size = int64_t(bytes.size()) / std::max<int64_t>(kept.wide[i].size(), 1);
    if (at.states.all[i].isReplaced) {
      int64_t count = kept.wide[i].size() / shape[0];
      for (auto [b, first] : llvm::enumerate(past))
        if (first == 0) { // the sequence starts again, so the library must clear its state
          std::memset(bytes.data() + int64_t(b) * count * size, 0xff, size_t(count * size));
          for (Tensor *tensor : {&kept.wide[i], &kept.narrow[i]})
            llvm::fill(tensor->mutableFloats().slice(b * count, count), 0.0);
        }
      continue;
    }
    forEachRows(
        shape, [&](int64_t b) { return std::pair(past[b], shape[2]); },
        [&](int64_t start, int64_t count) {
          std::memset(bytes.data() + start * size, 0xff, size_t(count * size));
          for (Tensor *tensor : {&kept.wide[i], &kept.narrow[i]})
            if (tensor->isFloat())
              llvm::fill(tensor->mutableFloats().slice(start, count), NAN);
            else // integers have scales, which are a state of their own and become NaN
              llvm::fill(tensor->mutableInts().slice(start, count), -1);
        });
  }
}

LogicalResult StateScript::copySequence(const At &at, Kept &kept) {
  uint64_t from = below(kept.filled.size()), to = below(kept.filled.size());
  if (heddle_status status = session.copyState(kept.memory->get(), from, to)) {
    llvm::errs() << source << ": error: a sequence cannot be copied: " << heddle_status_text(status) << "\n";
    return failure();
  }
  if (failed(kept.memory->pull()))
    return failure();
  kept.filled[to] = kept.filled[from];
  kept.history.copy(from, to);
  for (auto *tensors : {&kept.wide, &kept.narrow})
    for (Tensor &tensor : *tensors) {
      size_t count = size_t(tensor.size() / tensor.dim(0));
      auto copy = [&](auto elements) {
        llvm::copy(elements.slice(from * count, count), elements.begin() + to * count);
      };
      tensor.isFloat() ? copy(tensor.mutableFloats()) : copy(tensor.mutableInts());
    }
  return success();
}
