//===- EntryStates.cpp - what a caller keeps from call to call ------------===//

#include "EntryStates.h"
#include "EntryArguments.h"
#include "EntryDeviceStates.h"

#include "heddle/model.h"

#include "llvm/Support/xxhash.h"

#include <cstddef>

using namespace llvm;
using namespace heddle;

uint64_t heddle::getStateMark(const ModelInterface &interface) {
  std::string text = interface.source;
  if (interface.device) // which keeps other things in its header
    text += "\n" + interface.variants.front().name;
  text += interface.states->layout;
  return xxh3_64bits(text) ^ uint64_t(interface.weightsHash);
}

static Value *emitValue(EntryBuilder &b, const InterfaceProduct &product, ArrayRef<Value *> sizes) {
  return emitProduct(b, b.word(uint64_t(product.each)), product.powers, sizes);
}

static bool dependsOnSize(const ModelInterface &interface, unsigned number) {
  return any_of(interface.states->dims, [&](unsigned dim) { return interface.dims[dim].number == number; });
}

/// The sizes of `words` that states depend on, others at their least, as an array.
static Value *emitWords(EntryBuilder &b, const ModelInterface &interface, function_ref<Value *(unsigned)> word) {
  Value *array = b.CreateAlloca(b.i64, b.word(std::max<size_t>(interface.sizes.size(), 1)));
  for (auto [i, size] : enumerate(interface.sizes))
    b.store(dependsOnSize(interface, i) ? word(i) : b.word(uint64_t(size.low)), array, 8 * i);
  return array;
}

static Value *headerWord(EntryBuilder &b, Value *memory, uint64_t byte) { return b.load(b.i64, memory, byte); }

static void returnIfNoModel(EntryBuilder &b, const ModelInterface &interface, Value *model) {
  b.returnIf(b.isNull(model), HEDDLE_INVALID_ARGUMENT);
  b.returnIf(b.CreateICmpNE(b.load(b.i64, model, offsetof(ModelWords, mark)), b.word(getModelMark(interface))),
             HEDDLE_INVALID_ARGUMENT);
}

/// The memory of a struct heddle_state_memory, which is there.
static Value *emitMemory(EntryBuilder &b, Value *state) {
  b.returnIf(b.isNull(state), HEDDLE_INVALID_ARGUMENT);
  b.returnIf(b.isMisaligned(state, 8), HEDDLE_INVALID_ARGUMENT);
  Value *memory = b.load(b.ptr, state, offsetof(heddle_state_memory, memory));
  b.returnIf(b.isNull(memory), HEDDLE_INVALID_ARGUMENT);
  b.returnIf(b.isMisaligned(memory, 8), HEDDLE_INVALID_ARGUMENT);
  return memory;
}

namespace {
struct OwnMemory {
  Value *at, *size;
};
} // namespace

/// The same of a memory that begins with a header of this model's.
static OwnMemory emitOwnMemory(EntryBuilder &b, const ModelInterface &interface, Value *state) {
  Value *memory = emitMemory(b, state), *size = b.load(b.i64, state, offsetof(heddle_state_memory, size));
  b.returnIf(b.CreateICmpULT(size, b.word(uint64_t(interface.states->filled.fixed))), HEDDLE_STATE_TOO_SMALL);
  Value *magic = headerWord(b, memory, offsetof(StateHeader, magic));
  b.returnIf(b.CreateICmpNE(magic, b.word(stateMagic)), HEDDLE_STATE_NOT_INITIALISED);
  Value *mark = headerWord(b, memory, offsetof(StateHeader, mark));
  b.returnIf(b.CreateICmpNE(mark, b.word(getStateMark(interface))), HEDDLE_STATE_OF_ANOTHER_MODEL);
  return {memory, size};
}

static void returnIfDamaged(EntryBuilder &b, const ModelInterface &interface, const OwnMemory &memory,
                            ArrayRef<Value *> sizes) {
  Value *bytes = emitBytes(b, interface.states->size, sizes);
  b.returnIf(b.CreateICmpNE(headerWord(b, memory.at, offsetof(StateHeader, bytes)), bytes),
             HEDDLE_STATE_NOT_INITIALISED);
  b.returnIf(b.CreateICmpULT(memory.size, bytes), HEDDLE_STATE_TOO_SMALL);
}

static bool hasWhole(const InterfaceStates &states) {
  return any_of(states.all, [](const InterfaceState &one) { return one.isWhole; });
}

static Value *isBroken(EntryBuilder &b, Value *memory) {
  return b.CreateICmpNE(headerWord(b, memory, offsetof(StateHeader, broken)), b.word(0));
}

/// Whether a number of rows is none that a sequence can have filled.
static Value *isNoLength(EntryBuilder &b, const ModelInterface &interface, Value *filled, Value *capacity) {
  Value *wrong = b.CreateICmpSLT(filled, b.word(0));
  bool hasRows = interface.states->capacity.each != 0;
  return hasRows ? b.CreateOr(wrong, b.CreateICmpSGT(filled, capacity)) : wrong;
}

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

  filled = b.address(memory, emitBytes(b, states.filled, sizes));
  Value *given = past ? b.CreateSelect(b.isNull(past), filled, past) : filled;
  Value *broken = isBroken(b, memory);
  forEachSequence([&](Value *sequence) {
    Value *has = b.CreateAlignedLoad(b.i64, filledOf(sequence), Align(8));
    b.returnIf(isNoLength(b, interface, has, capacity), HEDDLE_STATE_NOT_INITIALISED);
    Value *begin = b.CreateAlignedLoad(b.i64, b.CreateGEP(b.i64, given, sequence), Align(8));
    b.returnIf(b.CreateOr(b.CreateICmpSLT(begin, b.word(0)), b.CreateICmpSGT(begin, has)), HEDDLE_STATE_NOT_FILLED);
    if (hasWhole(states)) {
      Value *elsewhere = b.CreateOr(broken, b.CreateICmpNE(begin, has));
      b.returnIf(b.CreateAnd(elsewhere, b.CreateICmpNE(begin, b.word(0))), HEDDLE_STATE_NOT_FILLED);
    }
    if (states.capacity.each)
      b.returnIf(b.CreateICmpSGT(begin, b.CreateSub(capacity, rows)), HEDDLE_STATE_FULL);
  });
  if (hasWhole(states) && !past) // nothing says that sequences begin anew
    b.returnIf(broken, HEDDLE_STATE_NOT_FILLED);
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
  SmallVector<std::pair<Value *, Value *>> whole; // where, and bytes of a sequence
  for (const InterfaceState &state : interface.states->all)
    if (state.isWhole) {
      Value *bytes = b.CreateMul(emitCount(b, state.tensor, sizes), b.word(state.tensor.elementSize()));
      whole.push_back(
          {address(state), b.CreateUDiv(bytes, b.CreateBinaryIntrinsic(Intrinsic::umax, batch, b.word(1)))});
    }
  if (!whole.empty())
    b.store(b.word(1), memory, offsetof(StateHeader, broken));
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
  b.store(b.word(0), memory, offsetof(StateHeader, broken));
}

/// state_bytes(sizes): 0 where one that states depend on is out of its range.
static Function *emitStateBytes(Module &module, const ModelInterface &interface) {
  LLVMContext &context = module.getContext();
  EntryBuilder b(module, interface.name + "_state_bytes", Type::getInt64Ty(context), {PointerType::getUnqual(context)},
                 /*isExported=*/false);
  if (interface.sizes.empty()) {
    b.CreateRet(emitBytes(b, interface.states->size, {}));
    return b.function;
  }
  BasicBlock *none = b.block("none"), *given = b.block("given"), *inside = b.block("inside");
  b.CreateCondBr(b.isNull(b.arg(0)), none, given);
  b.SetInsertPoint(none);
  b.CreateRet(b.word(0));
  b.SetInsertPoint(given);
  Value *words = emitWords(b, interface, [&](unsigned i) { return b.load(b.i64, b.arg(0), 8 * i); });
  b.CreateCondBr(emitOutOfRange(b, interface, words), none, inside);
  b.SetInsertPoint(inside);
  b.CreateRet(emitBytes(b, interface.states->size, emitSizes(b, interface, words)));
  return b.function;
}

/// init(model, state, sizes)
static Function *emitStateInit(Module &module, const ModelInterface &interface, Function *bytes) {
  LLVMContext &context = module.getContext();
  auto *pointer = PointerType::getUnqual(context);
  const InterfaceStates &states = *interface.states;
  EntryBuilder b(module, interface.name + "_state_begin", Type::getInt32Ty(context), {pointer, pointer, pointer},
                 /*isExported=*/false);
  returnIfNoModel(b, interface, b.arg(0));
  Value *memory = emitMemory(b, b.arg(1)), *needed = b.CreateCall(bytes, {b.arg(2)});
  b.returnIf(b.CreateICmpEQ(needed, b.word(0)), HEDDLE_INVALID_ARGUMENT);
  b.returnIf(b.CreateICmpULT(b.load(b.i64, b.arg(1), offsetof(heddle_state_memory, size)), needed),
             HEDDLE_STATE_TOO_SMALL);
  Value *words = emitWords(b, interface, [&](unsigned i) { return b.load(b.i64, b.arg(2), 8 * i); });
  SmallVector<Value *> sizes = emitSizes(b, interface, words);
  Value *batch = emitValue(b, states.batch, sizes);
  for (uint64_t word = 0; word < sizeof(StateHeader); word += 8)
    b.store(b.word(0), memory, word);
  b.store(b.word(getStateMark(interface)), memory, offsetof(StateHeader, mark));
  b.store(needed, memory, offsetof(StateHeader, bytes));
  b.store(batch, memory, offsetof(StateHeader, batch));
  b.store(emitValue(b, states.capacity, sizes), memory, offsetof(StateHeader, capacity));
  if (states.onDevice)
    b.store(allocateState(b, interface, b.arg(0), emitBytes(b, *states.onDevice, sizes)), memory,
            offsetof(StateHeader, onDevice));
  for (unsigned i = 0; i < interface.sizes.size(); ++i)
    b.store(sizes[i], memory, sizeof(StateHeader) + 8 * i);
  Value *filled = b.address(memory, emitBytes(b, states.filled, sizes));
  b.CreateMemSet(filled, b.getInt8(0), b.CreateMul(batch, b.word(8)), MaybeAlign(8));
  b.store(b.word(stateMagic), memory, offsetof(StateHeader, magic));
  b.status(HEDDLE_OK);
  return b.function;
}

/// Copies what sequence `from` has of a state to sequence `to`: all of it, or each head's filled rows. `place`: where the
/// state is.
static void emitCopy(EntryBuilder &b, const InterfaceState &state, ArrayRef<Value *> sizes, Value *place, Value *batch,
                     Value *capacity, Value *filled, Value *from, Value *to) {
  Value *bytes = b.CreateMul(emitCount(b, state.tensor, sizes), b.word(state.tensor.elementSize()));
  bytes = b.CreateUDiv(bytes, batch);
  Value *source = b.address(place, b.CreateMul(from, bytes)), *target = b.address(place, b.CreateMul(to, bytes));
  if (state.isWhole) {
    b.CreateMemCpy(target, MaybeAlign(), source, MaybeAlign(), bytes);
    return;
  }
  Value *heads = emitProduct(b, b.word(uint64_t(state.tensor.shape[1])), state.tensor.powers[1], sizes);
  Value *ofHead = b.CreateUDiv(bytes, heads), *rows = b.CreateMul(filled, b.CreateUDiv(ofHead, capacity));
  b.loop(heads, 1, [&](Value *head) {
    Value *start = b.CreateMul(head, ofHead);
    b.CreateMemCpy(b.address(target, start), MaybeAlign(), b.address(source, start), MaybeAlign(), rows);
  });
}

/// NAME_state_copy(model, state, from, to)
static Function *emitStateCopy(Module &module, const ModelInterface &interface) {
  LLVMContext &context = module.getContext();
  auto *pointer = PointerType::getUnqual(context);
  auto *word = Type::getInt64Ty(context);
  const InterfaceStates &states = *interface.states;
  EntryBuilder b(module, interface.name + "_state_copy", Type::getInt32Ty(context), {pointer, pointer, word, word},
                 /*isExported=*/true);
  Value *from = b.arg(2), *to = b.arg(3);
  returnIfNoModel(b, interface, b.arg(0));
  OwnMemory own = emitOwnMemory(b, interface, b.arg(1));
  Value *memory = own.at;
  // Sizes that states do not have are the least of who wrote the header, whose ranges may be others.
  Value *words =
      emitWords(b, interface, [&](unsigned i) { return headerWord(b, memory, sizeof(StateHeader) + 8 * i); });
  b.returnIf(emitOutOfRange(b, interface, words), HEDDLE_STATE_NOT_INITIALISED);
  SmallVector<Value *> sizes = emitSizes(b, interface, words);
  returnIfDamaged(b, interface, own, sizes);
  Value *batch = emitValue(b, states.batch, sizes), *capacity = emitValue(b, states.capacity, sizes);
  b.returnIf(b.CreateOr(b.CreateICmpUGE(from, batch), b.CreateICmpUGE(to, batch)), HEDDLE_INVALID_ARGUMENT);
  Value *filled = b.address(memory, emitBytes(b, states.filled, sizes));
  Value *has = b.CreateAlignedLoad(b.i64, b.CreateGEP(b.i64, filled, from), Align(8));
  b.returnIf(isNoLength(b, interface, has, capacity), HEDDLE_STATE_NOT_INITIALISED);
  if (hasWhole(states))
    b.returnIf(b.CreateAnd(isBroken(b, memory), b.CreateICmpNE(has, b.word(0))), HEDDLE_STATE_NOT_FILLED);
  b.returnIf(b.CreateICmpEQ(from, to), HEDDLE_OK);
  if (states.onDevice)
    copyOnDevice(b, interface, sizes, b.arg(0), memory, {has, from, to});
  else
    b.branch(b.CreateICmpNE(has, b.word(0)), [&] {
      for (const InterfaceState &state : states.all)
        emitCopy(b, state, sizes, b.address(memory, emitBytes(b, state.offset, sizes)), batch, capacity, has, from, to);
    });
  b.CreateAlignedStore(has, b.CreateGEP(b.i64, filled, to), Align(8));
  b.status(HEDDLE_OK);
  return b.function;
}

/// The public function with a parameter for each size, `before` others: the sizes as an array.
static Value *emitGivenSizes(EntryBuilder &b, const ModelInterface &interface, unsigned before, Value *&isWrong) {
  isWrong = b.getFalse();
  SmallVector<Value *> given(interface.sizes.size());
  for (auto [i, dim] : enumerate(interface.states->dims)) {
    Value *value = b.arg(before + i);
    const NamedSize &size = interface.dims[dim];
    if (size.isFixed())
      isWrong = b.CreateOr(isWrong, b.CreateICmpNE(value, b.word(uint64_t(size.low))));
    else
      given[*size.number] = value;
  }
  return emitWords(b, interface, [&](unsigned i) { return given[i]; });
}

StateFunctions heddle::emitStateFunctions(Module &module, const ModelInterface &interface) {
  LLVMContext &context = module.getContext();
  auto *pointer = PointerType::getUnqual(context);
  auto *word = Type::getInt64Ty(context);
  size_t dims = interface.states->dims.size();
  StateFunctions functions;
  Value *isWrong;
  functions.size = emitStateBytes(module, interface);
  functions.init = emitStateInit(module, interface, functions.size);
  functions.copy = emitStateCopy(module, interface);
  if (interface.states->onDevice) {
    functions.deinit = emitStateDeinit(module, interface);
    functions.deviceMemory = emitStateDeviceMemory(module, interface);
  }

  EntryBuilder size(module, interface.name + "_state_size", word, SmallVector<Type *>(dims, word), /*isExported=*/true);
  Value *bytes = size.CreateCall(functions.size, {emitGivenSizes(size, interface, 0, isWrong)});
  size.CreateRet(size.CreateSelect(isWrong, size.word(0), bytes));

  SmallVector<Type *> types(2, pointer);
  types.append(dims, word);
  EntryBuilder init(module, interface.name + "_state_init", Type::getInt32Ty(context), types, /*isExported=*/true);
  Value *sizes = emitGivenSizes(init, interface, 2, isWrong);
  init.returnIf(isWrong, HEDDLE_INVALID_ARGUMENT);
  init.CreateRet(init.CreateCall(functions.init, {init.arg(0), init.arg(1), sizes}));
  return functions;
}
