//===- EntryCallStates.cpp - the states of one call -----------------------===//

#include "EntryArguments.h"
#include "EntryStateHeader.h"
#include "EntryStates.h"

#include "heddle/model.h"

#include <cstddef>

using namespace llvm;
using namespace heddle;

CallStates::CallStates(EntryBuilder &b, const ModelInterface &interface, ArrayRef<Value *> sizes, Value *state,
                       Value *past)
    : b(b), interface(interface), sizes(sizes) {
  const InterfaceStates &states = *interface.states;
  OwnMemory own = emitOwnMemory(b, interface, state);
  memory = own.at;
  batch = emitValue(b, states.batch, sizes);
  rows = emitValue(b, states.rows, sizes);
  Value *capacity = emitValue(b, states.capacity, sizes);
  Value *differs = b.CreateICmpNE(headerWord(b, memory, offsetof(StateHeader, batch)), batch);
  differs = b.CreateOr(differs, b.CreateICmpNE(headerWord(b, memory, offsetof(StateHeader, capacity)), capacity));
  if (states.onDevice) {
    onDevice = b.load(b.ptr, memory, offsetof(StateHeader, onDevice));
    b.returnIf(b.isNull(onDevice), HEDDLE_STATE_NOT_INITIALISED);
  }
  for (unsigned i = 0; i < interface.sizes.size(); ++i)
    if (dependsOnSize(interface, i))
      differs = b.CreateOr(differs, b.CreateICmpNE(headerWord(b, memory, sizeof(StateHeader) + 8 * i), sizes[i]));
  b.returnIf(differs, HEDDLE_STATE_OF_OTHER_SIZES);
  returnIfDamaged(b, interface, own, sizes);

  // Check the past of each sequence, which is the number of filled rows from which the call continues. The default is
  // the number of all filled rows. A smaller past discards rows. A state that calls replace as a whole cannot return to
  // an earlier row: its past must be the number of filled rows or 0, and after a failed call it must be 0.
  filled = b.address(memory, emitBytes(b, states.filled, sizes));
  Value *given = past ? b.CreateSelect(b.isNull(past), filled, past) : filled;
  Value *incomplete = isIncomplete(b, memory);
  forEachSequence([&](Value *sequence) {
    Value *has = b.CreateAlignedLoad(b.i64, filledOf(sequence), Align(8));
    b.returnIf(isNoLength(b, interface, has, capacity), HEDDLE_STATE_NOT_INITIALISED);
    Value *begin = b.CreateAlignedLoad(b.i64, b.CreateGEP(b.i64, given, sequence), Align(8));
    b.returnIf(b.CreateOr(b.CreateICmpSLT(begin, b.word(0)), b.CreateICmpSGT(begin, has)), HEDDLE_STATE_NOT_FILLED);
    if (hasReplaced(states)) {
      Value *elsewhere = b.CreateOr(incomplete, b.CreateICmpNE(begin, has));
      b.returnIf(b.CreateAnd(elsewhere, b.CreateICmpNE(begin, b.word(0))), HEDDLE_STATE_NOT_FILLED);
    }
    if (states.capacity.each)
      b.returnIf(b.CreateICmpSGT(begin, b.CreateSub(capacity, rows)), HEDDLE_STATE_FULL);
  });
  if (hasReplaced(states) && !past) // without a past, the call cannot restart a sequence
    b.returnIf(incomplete, HEDDLE_STATE_NOT_FILLED);
  pastGiven = given;
}

Value *CallStates::filledOf(Value *sequence) { return b.CreateGEP(b.i64, filled, sequence); }

void CallStates::forEachSequence(function_ref<void(Value *)> body) {
  b.branch(b.CreateICmpNE(batch, b.word(0)), [&] { b.loop(batch, 1, body); });
}

PlacedTensor CallStates::place(const InterfaceState &state) {
  Value *bytes = b.CreateMul(emitCount(b, state.tensor, sizes), b.word(state.tensor.elementSize()));
  return {nullptr, onDevice, emitBytes(b, state.offset, sizes), b.CreateBinaryIntrinsic(Intrinsic::umax, bytes, b.word(1))};
}

Value *CallStates::address(const InterfaceState &state) { return b.address(memory, emitBytes(b, state.offset, sizes)); }

void CallStates::begin(Value *past) {
  // For each state that calls replace as a whole: its address, and the size of one sequence in bytes.
  SmallVector<std::pair<Value *, Value *>> whole;
  for (const InterfaceState &state : interface.states->all)
    if (state.isReplaced) {
      Value *bytes = b.CreateMul(emitCount(b, state.tensor, sizes), b.word(state.tensor.elementSize()));
      whole.push_back(
          {address(state), b.CreateUDiv(bytes, b.CreateBinaryIntrinsic(Intrinsic::umax, batch, b.word(1)))});
    }
  if (!whole.empty())
    b.store(b.word(1), memory, offsetof(StateHeader, incomplete));
  forEachSequence([&](Value *sequence) {
    Value *begin = b.CreateAlignedLoad(b.i64, b.CreateGEP(b.i64, pastGiven, sequence), Align(8));
    b.CreateAlignedStore(begin, filledOf(sequence), Align(8));
    if (past)
      b.CreateAlignedStore(begin, b.CreateGEP(b.i64, past, sequence), Align(8));
    if (!whole.empty())
      b.branch(b.CreateICmpEQ(begin, b.word(0)), [&] {
        for (auto [place, bytes] : whole)
          b.CreateMemSet(b.address(place, b.CreateMul(bytes, sequence)), b.getInt8(0), bytes, MaybeAlign());
      });
  });
}

void CallStates::commit() {
  forEachSequence([&](Value *sequence) {
    Value *has = b.CreateAlignedLoad(b.i64, filledOf(sequence), Align(8));
    b.CreateAlignedStore(b.CreateAdd(has, rows), filledOf(sequence), Align(8));
  });
  b.store(b.word(0), memory, offsetof(StateHeader, incomplete));
}
