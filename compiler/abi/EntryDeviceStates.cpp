//===- EntryDeviceStates.cpp - states on a device -------------------------===//
//
// The caller's memory of a state contains only the header and the numbers of
// filled rows. The header points to the device allocation with the tensors.
//
//===----------------------------------------------------------------------===//

#include "EntryDeviceStates.h"
#include "DeviceTable.h"
#include "EntryArguments.h"

#include <cstddef>

using namespace llvm;
using namespace heddle;

/// Emits code that makes the generated function return `status` unless the status is HEDDLE_OK.
static void returnFailure(EntryBuilder &b, Value *status) {
  BasicBlock *failed = b.block("failed"), *next = b.block("next");
  b.CreateCondBr(b.CreateICmpEQ(status, b.getInt32(HEDDLE_OK)), next, failed);
  b.SetInsertPoint(failed);
  b.CreateRet(status);
  b.SetInsertPoint(next);
}

Value *heddle::allocateState(EntryBuilder &b, const ModelInterface &, Value *model, Value *bytes) {
  DeviceTable table(b, model);
  Value *place = b.CreateAlloca(b.i64, b.word(1));
  returnFailure(b, table.status(offsetof(heddle_device, allocate), {bytes, place}));
  return b.load(b.ptr, place, 0);
}

/// Emits code that copies the filled rows of each head in each tensor. Only the device's function `replay`, which runs
/// recorded launches, can copy from device memory to device memory. So the code records an empty list of launches and
/// passes the copies to the replay of this list.
void heddle::copyOnDevice(EntryBuilder &b, const ModelInterface &interface, ArrayRef<Value *> sizes, Value *model,
                          Value *header, const SequenceCopy &copy) {
  const InterfaceStates &states = *interface.states;
  auto product = [&](const InterfaceProduct &value) {
    return emitProduct(b, b.word(uint64_t(value.each)), value.powers, sizes);
  };
  auto headsOf = [&](const InterfaceState &state) {
    return emitProduct(b, b.word(uint64_t(state.tensor.shape[1])), state.tensor.powers[1], sizes);
  };
  Value *batch = product(states.batch), *capacity = product(states.capacity), *count = b.word(0);
  Value *memory = b.load(b.ptr, header, offsetof(StateHeader, onDevice));
  b.returnIf(b.isNull(memory), HEDDLE_STATE_NOT_INITIALISED);
  for (const InterfaceState &state : states.all)
    count = b.CreateAdd(count, headsOf(state));
  Value *copies = b.CreateAlloca(b.i64, b.CreateMul(count, b.word(sizeof(heddle_copy) / 8))), *first = b.word(0);
  for (const InterfaceState &state : states.all) {
    Value *bytes = b.CreateMul(emitCount(b, state.tensor, sizes), b.word(state.tensor.elementSize()));
    bytes = b.CreateUDiv(bytes, batch);
    Value *heads = headsOf(state), *ofHead = b.CreateUDiv(bytes, heads);
    Value *rows = b.CreateMul(copy.filled, b.CreateUDiv(ofHead, capacity)), *place = emitBytes(b, state.offset, sizes);
    Value *source = b.CreateAdd(place, b.CreateMul(copy.from, bytes));
    Value *target = b.CreateAdd(place, b.CreateMul(copy.to, bytes));
    b.loop(heads, 1, [&](Value *head) {
      Value *one = b.address(copies, b.CreateMul(b.CreateAdd(first, head), b.word(sizeof(heddle_copy))));
      Value *start = b.CreateMul(head, ofHead);
      b.store(ConstantPointerNull::get(b.ptr), one, offsetof(heddle_copy, host));
      b.store(b.word(0), one, offsetof(heddle_copy, memory));
      b.store(b.CreateAdd(target, start), one, offsetof(heddle_copy, offset));
      b.store(rows, one, offsetof(heddle_copy, size));
      b.store(memory, one, offsetof(heddle_copy, other));
      b.store(b.CreateAdd(source, start), one, offsetof(heddle_copy, other_offset));
    });
    first = b.CreateAdd(first, heads);
  }
  DeviceTable table(b, model);
  Value *memories = b.CreateAlloca(b.i64, b.word(1)), *recorded = b.CreateAlloca(b.i64, b.word(1));
  Value *null = ConstantPointerNull::get(b.ptr);
  b.store(memory, memories, 0);
  Value *code = b.load(b.ptr, model, offsetof(ModelWords, code));
  returnFailure(b, table.status(offsetof(heddle_device, record),
                                {code, memories, b.word(1), null, b.word(0), b.word(0), recorded}));
  Value *launches = b.load(b.ptr, recorded, 0);
  Value *status = table.status(offsetof(heddle_device, replay), {launches, copies, count, null, b.word(0)});
  table.callWith(offsetof(heddle_device, forget), launches);
  returnFailure(b, status);
}

/// Emits code that runs the code of `leave`, which must end with a return, if `wrong` is true.
static void leaveIf(EntryBuilder &b, Value *wrong, function_ref<void()> leave) {
  BasicBlock *out = b.block("none"), *next = b.block("next");
  b.CreateCondBr(wrong, out, next);
  b.SetInsertPoint(out);
  leave();
  b.SetInsertPoint(next);
}

/// Returns the caller's memory of a state if the memory begins with a header of this model. Otherwise, the generated
/// code runs the code that `none` emits, which must end with a return. `state` points to a struct heddle_state_memory.
static Value *findHeader(EntryBuilder &b, const ModelInterface &interface, Value *state, function_ref<void()> none) {
  auto leaveIf = [&](Value *wrong) { ::leaveIf(b, wrong, none); };
  leaveIf(b.CreateOr(b.isNull(state), b.isMisaligned(state, 8)));
  Value *memory = b.load(b.ptr, state, offsetof(heddle_state_memory, memory));
  Value *size = b.load(b.i64, state, offsetof(heddle_state_memory, size));
  leaveIf(b.CreateOr(b.isNull(memory), b.isMisaligned(memory, 8)));
  leaveIf(b.CreateICmpULT(size, b.word(sizeof(StateHeader))));
  leaveIf(b.CreateICmpNE(b.load(b.i64, memory, offsetof(StateHeader, magic)), b.word(stateMagic)));
  leaveIf(b.CreateICmpNE(b.load(b.i64, memory, offsetof(StateHeader, fingerprint)),
                         b.word(getStateFingerprint(interface))));
  return memory;
}

Function *heddle::emitStateDeinit(Module &module, const ModelInterface &interface) {
  auto *pointer = PointerType::getUnqual(module.getContext());
  EntryBuilder b(module, interface.name + "_state_deinit", Type::getVoidTy(module.getContext()), {pointer, pointer},
                 /*isExported=*/true);
  auto leave = [&] { b.CreateRetVoid(); };
  leaveIf(b, b.isNull(b.arg(0)), leave);
  leaveIf(b, b.isNull(b.load(b.ptr, b.arg(0), offsetof(ModelWords, device))), leave);
  Value *header = findHeader(b, interface, b.arg(1), leave);
  DeviceTable(b, b.arg(0))
      .callWith(offsetof(heddle_device, release), b.load(b.ptr, header, offsetof(StateHeader, onDevice)));
  for (uint64_t word = 0; word < sizeof(StateHeader); word += 8)
    b.store(b.word(0), header, word);
  b.CreateRetVoid();
  return b.function;
}

Function *heddle::emitStateDeviceMemory(Module &module, const ModelInterface &interface) {
  auto *pointer = PointerType::getUnqual(module.getContext());
  EntryBuilder b(module, interface.name + "_state_device_memory", pointer, {pointer}, /*isExported=*/false);
  Value *header = findHeader(b, interface, b.arg(0), [&] { b.CreateRet(ConstantPointerNull::get(pointer)); });
  b.CreateRet(b.load(b.ptr, header, offsetof(StateHeader, onDevice)));
  return b.function;
}
