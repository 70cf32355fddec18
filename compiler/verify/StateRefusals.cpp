//===- StateRefusals.cpp - calls on states that must be refused -----------===//

#include "StateScript.h"

#include "abi/ModelWords.h"

#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace mlir;
using namespace heddle;

std::vector<StateScript::WrongWord> StateScript::wrongHeaders(const Call &call) const {
  const StateMemory &memory = *call.kept.memory;
  auto wordAt = [&](uint64_t byte) {
    uint64_t word;
    std::memcpy(&word, memory.bytes().data() + byte, sizeof word);
    return word;
  };
  std::vector<WrongWord> wrong;
  // Adds a word that differs from the correct word in its lowest bit. A call must then return `status`.
  auto add = [&](uint64_t byte, heddle_status status) { wrong.push_back({byte, wordAt(byte) ^ 1, status}); };
  add(offsetof(StateHeader, magic), HEDDLE_STATE_NOT_INITIALISED);
  add(offsetof(StateHeader, fingerprint), HEDDLE_STATE_OF_ANOTHER_MODEL);
  add(offsetof(StateHeader, bytes), HEDDLE_STATE_NOT_INITIALISED);
  add(offsetof(StateHeader, batch), HEDDLE_STATE_OF_OTHER_SIZES);
  add(offsetof(StateHeader, capacity), HEDDLE_STATE_OF_OTHER_SIZES);
  const heddle_model &library = call.session.model();
  for (uint64_t i = 0; i < library.size_count; ++i)
    for (auto [range, isOfState] : llvm::zip_equal(ranges, isOfStates))
      if (isOfState && range.name == library.sizes[i].name)
        add(sizeof(StateHeader) + 8 * i, HEDDLE_STATE_OF_OTHER_SIZES);
  if (library.device)
    wrong.push_back({offsetof(StateHeader, onDevice), 0, HEDDLE_STATE_NOT_INITIALISED});

  ArrayRef<int64_t> filled = memory.filled(call.session);
  for (const int64_t &rows : filled) {
    auto byte = uint64_t(reinterpret_cast<const char *>(&rows) - memory.bytes().data());
    wrong.push_back({byte, ~uint64_t(0), HEDDLE_STATE_NOT_INITIALISED});
    if (int64_t capacity = call.at.states.sizes.capacity)
      wrong.push_back({byte, uint64_t(capacity) + 1, HEDDLE_STATE_NOT_INITIALISED});
  }
  // A nonzero word `incomplete` means that a call failed while it replaced a state as a whole. A later call must then
  // be refused, unless the input `past` is 0 for all sequences, which starts all of them again.
  bool replaces = llvm::any_of(call.at.states.all, [](const State &state) { return state.isReplaced; });
  bool goesOn = llvm::any_of(call.past, [](int64_t rows) { return rows != 0; });
  if (replaces && (goesOn || !call.at.states.past))
    wrong.push_back({offsetof(StateHeader, incomplete), 1, HEDDLE_STATE_NOT_FILLED});
  return wrong;
}

LogicalResult StateScript::tryWrong(Call &call) {
  const At &at = call.at;
  Kept &kept = call.kept;
  std::vector<char> before(kept.memory->bytes().begin(), kept.memory->bytes().end());
  const heddle_state &state = *session.model().states;
  std::vector<const void *> given = call.inputs;
  heddle_state_memory memory = kept.memory->get();
  size_t place = 0;
  while (session.model().inputs[place].state == 0)
    ++place;
  given[place] = &memory;
  // Makes a call, which must return `wanted` and leave the state unchanged.
  auto expect = [&](heddle_status wanted) {
    heddle_status status = call.session.tryRun(given, call.outputs);
    bool isSame = std::memcmp(before.data(), kept.memory->bytes().data(), before.size()) == 0;
    if (status == wanted && isSame)
      return success();
    llvm::errs() << source << ": error: a call that must be refused: expected \"" << heddle_status_text(wanted)
                 << "\", found \"" << heddle_status_text(status)
                 << (isSame ? "\"\n" : "\", and the call changed the state\n");
    return LogicalResult(failure());
  };
  memory.size -= 1;
  if (failed(expect(HEDDLE_STATE_TOO_SMALL)))
    return failure();
  memory.size += 1;
  for (const WrongWord &wrong : wrongHeaders(call)) {
    char right[sizeof wrong.value];
    std::memcpy(right, &before[wrong.byte], sizeof right);
    auto put = [&](const void *word) {
      std::memcpy(&before[wrong.byte], word, sizeof right);
      std::memcpy(kept.memory->bytes().data() + wrong.byte, word, sizeof right);
    };
    put(&wrong.value);
    if (failed(expect(wrong.status))) {
      llvm::errs() << source << ": note: before the call, verify wrote a wrong number to the state at byte "
                   << wrong.byte << "\n";
      return failure();
    }
    put(right);
  }
  if (state.past == UINT64_MAX)
    return success();
  std::vector<int64_t> wrong = call.past;
  given[state.past] = wrong.data();
  size_t sequence = below(wrong.size());
  wrong[sequence] = kept.filled[sequence] + 1;
  if (failed(expect(HEDDLE_STATE_NOT_FILLED)))
    return failure();
  wrong[sequence] = kept.filled[sequence];
  bool isFull = at.states.sizes.capacity && wrong[sequence] > at.states.sizes.capacity - at.states.sizes.rows;
  return isFull ? expect(HEDDLE_STATE_FULL) : success();
}
