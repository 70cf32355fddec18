//===- StateCall.cpp - verifies one call of a script ----------------------===//

#include "StateScript.h"

#include "heddle/Calls.h"
#include "heddle/Inputs.h"
#include "heddle/PrintError.h"

#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace mlir;
using namespace heddle;

/// Returns the interpreter's results in f64 and in f32, each computed with the states of earlier calls in the same
/// precision (`wide` and `narrow`). `stored` contains the states that the library wrote: if a number is nearly halfway
/// between two values of the state's type, the interpreter rounds it to the value in `stored`.
static FailureOr<Reference> interpretBoth(func::FuncOp main, const States &states, const WeightSource &weights,
                                          SmallVector<Tensor> inputs, ArrayRef<Tensor> wide, ArrayRef<Tensor> narrow,
                                          ArrayRef<Tensor> stored) {
  Reference reference;
  InterpreterOptions options;
  options.weights = weights;
  options.stored = [&](Value after) -> const Tensor * {
    for (auto [state, tensor] : llvm::zip_equal(states.all, stored))
      if (main.front().getTerminator()->getOperand(state.result) == after)
        return &tensor;
    return nullptr;
  };
  for (auto [precision, kept, results] :
       {std::tuple(Precision::F64, wide, &reference.wide), std::tuple(Precision::F32, narrow, &reference.narrow)}) {
    for (auto [state, tensor] : llvm::zip_equal(states.all, kept))
      inputs[state.argument] = tensor;
    options.precision = precision;
    FailureOr<SmallVector<Tensor>> values = interpret(main, inputs, options);
    if (failed(values))
      return failure();
    *results = std::move(*values);
  }
  return reference;
}

FailureOr<StateScript::Call> StateScript::prepare(const At &at, Kept &kept, Session &session,
                                                  const heddle_executor *executor) {
  func::FuncOp main = at.point.main();
  FailureOr<SmallVector<Tensor>> made = randomInputs(main, seed * 1000 + number);
  if (failed(made))
    return failure();
  SmallVector<Tensor> inputs = std::move(*made);
  Call call{at, kept, session, number, choosePast(at, kept), {}, {}, {}, {}, {}, {}};
  bool isGiven = at.states.past && (call.past != kept.filled || oneIn(2));
  if (at.states.past)
    llvm::copy(call.past, inputs[*at.states.past].mutableInts().begin());
  spoil(call);
  if (failed(kept.memory->push()))
    return failure();

  // The library has one input for the memory of all its states. Its position is that of the first state.
  bool hasState = false;
  for (auto [i, input] : llvm::enumerate(inputs)) {
    bool isState = llvm::any_of(at.states.all, [&, i = i](const State &state) { return state.argument == i; });
    if (isState && hasState)
      continue;
    hasState |= isState;
    call.inputBytes.push_back(isState ? std::vector<char>() : input.toBytes());
    bool isAbsent = at.states.past == i && !isGiven;
    call.inputs.push_back(isState    ? static_cast<const void *>(&kept.memory->get())
                          : isAbsent ? nullptr
                                     : call.inputBytes.back().data());
  }
  for (const Port &port : outputPorts(main)) {
    int64_t size = port.type.getNumElements() * Tensor::byteWidth(port.type.getElementType());
    call.outputBytes.emplace_back(std::max<int64_t>(size, 1), char(0xff));
    call.outputs.push_back(call.outputBytes.back().data());
  }
  if (llvm::Error error = session.poisonArena(executor)) {
    printError(std::move(error));
    return failure();
  }
  if (oneIn(4) && failed(tryWrong(call)))
    return failure();
  call.before.assign(kept.memory->bytes().begin(), kept.memory->bytes().end());
  call.tensors = std::move(inputs);
  return std::move(call);
}

/// Returns the outputs of a call, whose elements are in `bytes`.
static FailureOr<SmallVector<Tensor>> readOutputs(ArrayRef<Port> ports, ArrayRef<std::vector<char>> bytes) {
  SmallVector<Tensor> outputs;
  for (auto [port, all] : llvm::zip_equal(ports, bytes)) {
    size_t size = size_t(port.type.getNumElements() * Tensor::byteWidth(port.type.getElementType()));
    FailureOr<Tensor> tensor =
        Tensor::fromBytes(port.type.getShape(), port.type.getElementType(), ArrayRef(all).take_front(size));
    if (failed(tensor))
      return failure();
    outputs.push_back(std::move(*tensor));
  }
  return outputs;
}

/// Returns the tensors of the states in the library's memory after a call, in the order of States::all. They have the
/// shapes and types of the tensors `like`.
static FailureOr<std::vector<Tensor>> readStored(ArrayRef<Tensor> like, const StateMemory &memory, Session &session) {
  std::vector<Tensor> stored;
  for (auto [i, tensor] : llvm::enumerate(like)) {
    FailureOr<Tensor> found = Tensor::fromBytes(tensor.shape(), tensor.elementType(), memory.tensor(session, i));
    if (failed(found))
      return failure();
    stored.push_back(std::move(*found));
  }
  return stored;
}

/// Returns the numbers that a state represents. If there are scales, integers are multiplied by the scales of their
/// rows.
static Tensor numbersOf(const Tensor &rows, const Tensor *scales) {
  if (!scales)
    return rows;
  std::vector<double> numbers;
  numbers.reserve(size_t(rows.size()));
  for (auto [i, integer] : llvm::enumerate(rows.ints()))
    numbers.push_back(double(integer) * scales->floats()[i / size_t(rows.shape().back())]);
  return Tensor(rows.shape(), scales->elementType(), std::move(numbers));
}

/// Returns the `rows` new rows of a state as [sequence, head, row, element]; `tensor` has the same dimensions, with all
/// rows of the state. If each call replaces the state (`isReplaced`), returns the whole tensor.
static Tensor newRows(const Tensor &tensor, ArrayRef<int64_t> past, int64_t rows, bool isReplaced) {
  if (isReplaced)
    return tensor;
  ArrayRef<int64_t> shape = tensor.shape();
  std::vector<int64_t> offsets;
  for (int64_t b = 0; b < shape[0]; ++b)
    for (int64_t h = 0; h < shape[1]; ++h)
      for (int64_t i = 0; i < rows * shape[3]; ++i)
        offsets.push_back(((b * shape[1] + h) * shape[2] + past[b]) * shape[3] + i);
  return tensor.picked({shape[0], shape[1], rows, shape[3]}, offsets);
}

LogicalResult StateScript::judge(Call &call, std::vector<Judgement> &judgements) {
  const At &at = call.at;
  Kept &kept = call.kept;
  Session &session = call.session;
  const std::vector<int64_t> &past = call.past;
  func::FuncOp main = at.point.main();
  if (failed(kept.memory->pull()))
    return failure();
  FailureOr<SmallVector<Tensor>> outputs = readOutputs(outputPorts(main), call.outputBytes);
  FailureOr<std::vector<Tensor>> stored = readStored(kept.wide, *kept.memory, session);
  if (failed(outputs) || failed(stored))
    return failure();
  FailureOr<Reference> reference =
      interpretBoth(main, at.states, at.weights, call.tensors, kept.wide, kept.narrow, *stored);
  if (failed(reference))
    return failure();
  std::string name = "script " + std::to_string(seed) + " call " + std::to_string(call.number);
  auto add = [&](StringRef output, const Tensor &actual, const Tensor &wide, const Tensor &narrow) {
    // The bound follows from the interpreter's largest error in any call so far, since errors of states accumulate.
    double &error = errors[output.str()];
    judgements.push_back({at.point.name, name, compare(output, actual, wide, narrow, error)});
    error = std::max(error, judgements.back().comparison.narrowError);
  };
  unsigned next = 0;
  for (unsigned i = 0; i < main.getNumResults(); ++i)
    if (llvm::none_of(at.states.all, [&](const State &state) { return state.result == i; }))
      add(resultName(main, i), (*outputs)[next++], reference->wide[i], reference->narrow[i]);
  // Only the new rows, states that the call replaces, and the numbers of filled rows may change. All other bytes must
  // have the values that they had before the call.
  std::vector<char> expected = call.before;
  // Allows `count` of the `bytes`, from index `start` on, to have changed.
  auto keep = [&](ArrayRef<char> bytes, size_t start, size_t count) {
    size_t place = size_t(bytes.data() - kept.memory->bytes().data()) + start;
    std::copy_n(bytes.data() + start, count, expected.begin() + place);
  };
  int64_t rows = at.states.sizes.rows;
  for (auto [i, state] : llvm::enumerate(at.states.all)) {
    ArrayRef<char> bytes = kept.memory->tensor(session, i);
    const Tensor &wide = reference->wide[state.result], &narrow = reference->narrow[state.result];
    const State *scales = state.scales ? &at.states.all[*state.scales] : nullptr;
    auto numbers = [&, isReplaced = state.isReplaced](const Tensor &of, const Tensor *beside) {
      return newRows(numbersOf(of, beside), past, rows, isReplaced);
    };
    add(state.name, numbers((*stored)[i], scales ? &(*stored)[*state.scales] : nullptr),
        numbers(wide, scales ? &reference->wide[scales->result] : nullptr),
        numbers(narrow, scales ? &reference->narrow[scales->result] : nullptr));
    kept.wide[i] = wide;
    kept.narrow[i] = narrow;
    if (state.isReplaced) {
      keep(bytes, 0, bytes.size());
      continue;
    }
    ArrayRef<int64_t> shape = wide.shape();
    size_t row = bytes.size() / size_t(shape[0] * shape[1] * shape[2]);
    for (int64_t b = 0; b < shape[0]; ++b)
      for (int64_t h = 0; h < shape[1]; ++h)
        keep(bytes, size_t((b * shape[1] + h) * shape[2] + past[b]) * row, size_t(rows) * row);
  }
  if (rowInputs)
    kept.history.add(call.tensors, past);
  ArrayRef<int64_t> filled = kept.memory->filled(session);
  for (auto [b, count] : llvm::enumerate(filled))
    kept.filled[b] = past[b] + rows;
  std::memcpy(expected.data() + (reinterpret_cast<const char *>(filled.data()) - kept.memory->bytes().data()),
              kept.filled.data(), 8 * kept.filled.size());
  if (std::memcmp(expected.data(), kept.memory->bytes().data(), expected.size()) == 0)
    return success();
  size_t place = 0;
  while (expected[place] == kept.memory->bytes()[place])
    ++place;
  llvm::errs() << source << ": error: " << name << (at.point.name.empty() ? "" : " at " + at.point.name)
               << " changes byte " << place << " of its state; this byte does not belong to the new rows\n";
  return failure();
}
