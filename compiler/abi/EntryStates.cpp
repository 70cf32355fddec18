//===- EntryStates.cpp - functions for states -----------------------------===//

#include "EntryStates.h"
#include "EntryArguments.h"
#include "EntryDeviceStates.h"
#include "EntryStateHeader.h"

#include "heddle/model.h"

#include <cstddef>

using namespace llvm;
using namespace heddle;

/// Emits code that stores all sizes in an array, in the order of interface.sizes: `word(i)` for a size that states
/// depend on, and the minimum for every other size.
static Value *emitWords(EntryBuilder &b, const ModelInterface &interface, function_ref<Value *(unsigned)> word) {
  Value *array = b.CreateAlloca(b.i64, b.word(std::max<size_t>(interface.sizes.size(), 1)));
  for (auto [i, size] : enumerate(interface.sizes))
    b.store(dependsOnSize(interface, i) ? word(i) : b.word(uint64_t(size.low)), array, 8 * i);
  return array;
}

/// Emits code that makes the generated function return a status if `model` is not an initialised instance of this
/// model.
static void returnIfNoModel(EntryBuilder &b, const ModelInterface &interface, Value *model) {
  b.returnIf(b.isNull(model), HEDDLE_INVALID_ARGUMENT);
  b.returnIf(
      b.CreateICmpNE(b.load(b.i64, model, offsetof(ModelWords, fingerprint)), b.word(getModelFingerprint(interface))),
      HEDDLE_INVALID_ARGUMENT);
}

/// Emits state_bytes(sizes), which returns the number of bytes of a state, or 0 if a size that states depend on is out
/// of its range.
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

/// Emits state_begin(model, state, sizes), which initialises the memory of a state.
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
  b.store(b.word(getStateFingerprint(interface)), memory, offsetof(StateHeader, fingerprint));
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

/// Emits code that copies sequence `from` of a state to sequence `to`: the whole sequence if calls replace the state,
/// else the filled rows of each head. `place` is the address of the state's tensor.
static void emitCopy(EntryBuilder &b, const InterfaceState &state, ArrayRef<Value *> sizes, Value *place, Value *batch,
                     Value *capacity, Value *filled, Value *from, Value *to) {
  Value *bytes = b.CreateMul(emitCount(b, state.tensor, sizes), b.word(state.tensor.elementSize()));
  bytes = b.CreateUDiv(bytes, batch);
  Value *source = b.address(place, b.CreateMul(from, bytes)), *target = b.address(place, b.CreateMul(to, bytes));
  if (state.isReplaced) {
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

/// Emits NAME_state_copy(model, state, from, to).
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
  // A library of the same model with other ranges may have written the header. So for sizes that states do not depend
  // on, do not use the values in the header; emitWords stores the minima of this library instead.
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
  if (hasReplaced(states))
    b.returnIf(b.CreateAnd(isIncomplete(b, memory), b.CreateICmpNE(has, b.word(0))), HEDDLE_STATE_NOT_FILLED);
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

/// Emits code that stores the sizes that states depend on in an array. The sizes are parameters of a public function,
/// from parameter number `before` on. Sets `isWrong` to a boolean that is true at run time if the caller passed a wrong
/// value for a fixed size.
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
