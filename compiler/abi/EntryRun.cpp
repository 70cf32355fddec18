//===- EntryRun.cpp - checks the arguments of a call and runs it ----------===//

#include "EntryArguments.h"
#include "EntryDevice.h"
#include "EntryPieces.h"
#include "EntryPoints.h"
#include "EntryStates.h"

#include "heddle/ArenaLayout.h"

#include <cstddef>

using namespace llvm;
using namespace heddle;

/// Emits the return from run after the model was executed. The generated code returns HEDDLE_INDEX_OUT_OF_RANGE if the
/// i32 to which `check` points is not 0, otherwise `status`. `check` is null if the model computes no indices. The new
/// rows of states count as filled only if the call succeeded.
static void emitReturn(EntryBuilder &b, Value *status, Value *check, CallStates *states = nullptr) {
  if (check)
    b.returnIf(b.CreateICmpNE(b.load(b.i32, check, 0), b.getInt32(0)), HEDDLE_INDEX_OUT_OF_RANGE);
  if (states)
    b.branch(b.CreateICmpEQ(status, b.getInt32(HEDDLE_OK)), [&] { states->commit(); });
  b.CreateRet(status);
}

/// Emits a call of @main of the variant (the code for one CPU) with this index.
static void emitCall(EntryBuilder &b, const ModelInterface &interface, Value *variant, ArrayRef<Value *> arguments) {
  Module &module = *b.function->getParent();
  BasicBlock *done = b.block("done"), *first = b.block("variant");
  SwitchInst *choice = b.CreateSwitch(variant, first, interface.variants.size());
  for (unsigned i = 0; i < interface.variants.size(); ++i) {
    BasicBlock *body = i == 0 ? first : b.block("variant");
    if (i > 0)
      choice->addCase(b.getInt64(i), body);
    b.SetInsertPoint(body);
    b.CreateCall(module.getFunction(interface.getMain(i)), arguments);
    b.CreateBr(done);
  }
  b.SetInsertPoint(done);
}

/// Emits the number of threads of the caller's executor, at least 1; without an executor, the number is 1.
static Value *emitThreads(EntryBuilder &b, Value *executor) {
  // The members of struct heddle_executor are self, threads and parallel_for.
  BasicBlock *before = b.GetInsertBlock(), *pool = b.block("pool"), *counted = b.block("counted");
  b.CreateCondBr(b.isNull(executor), counted, pool);
  b.SetInsertPoint(pool);
  Value *asked = b.load(b.i64, executor, 8);
  b.returnIf(b.isNull(b.load(b.ptr, executor, 16)), HEDDLE_INVALID_ARGUMENT);
  Value *atLeastOne = b.CreateBinaryIntrinsic(Intrinsic::umax, asked, b.word(1));
  BasicBlock *after = b.GetInsertBlock();
  b.CreateBr(counted);
  b.SetInsertPoint(counted);
  PHINode *threads = b.CreatePHI(b.i64, 2);
  threads->addIncoming(b.word(1), before);
  threads->addIncoming(atLeastOne, after);
  return threads;
}

/// Emits code that checks the arguments and runs the model: its code for the CPU, or its launches on the device.
static Function *emitRun(EntryBuilder &b, const ModelInterface &interface) {
  Value *model = b.arg(0), *words = b.arg(1), *inputs = b.arg(2), *outputs = b.arg(3), *arena = b.arg(4),
        *arenaSize = b.arg(5), *executor = interface.device ? nullptr : b.arg(6);
  b.returnIf(b.isNull(model), HEDDLE_INVALID_ARGUMENT);
  b.returnIf(
      b.CreateICmpNE(b.load(b.i64, model, offsetof(ModelWords, fingerprint)), b.word(getModelFingerprint(interface))),
      HEDDLE_INVALID_ARGUMENT);
  Value *variant = loadVariant(b, interface, model);
  b.returnIf(b.isNull(arena), HEDDLE_INVALID_ARGUMENT);
  if (!interface.sizes.empty()) {
    b.returnIf(b.isNull(words), HEDDLE_INVALID_ARGUMENT);
    b.returnIf(emitOutOfRange(b, interface, words), HEDDLE_INVALID_ARGUMENT);
  }
  SmallVector<Value *> sizes = emitSizes(b, interface, words);

  Value *threads = executor ? emitThreads(b, executor) : b.word(1);
  // Check the size of the arena by a division, since a product could overflow. The check does not depend on the
  // alignment of the arena's pointer; otherwise an arena that is too small would be accepted at some addresses.
  Value *shared = emitSharedBytes(b, interface, sizes);
  b.returnIf(b.CreateICmpULT(arenaSize, shared), HEDDLE_ARENA_TOO_SMALL);
  if (interface.workerSize) {
    Value *fitting = b.CreateUDiv(b.CreateSub(arenaSize, shared), b.word(interface.workerSize));
    b.returnIf(b.CreateICmpULT(fitting, threads), HEDDLE_ARENA_TOO_SMALL);
  }
  // The arena's content begins at the next multiple of 64 bytes.
  Value *start = b.CreatePtrToInt(arena, b.i64);
  Value *base = b.address(arena, b.CreateAnd(b.CreateNeg(start), b.word(arenaSlack)));

  SmallVector<Given> givenInputs, givenOutputs;
  SmallVector<Value *> inputPointers, outputPointers;
  for (auto [i, tensor] : enumerate(interface.inputs)) {
    givenInputs.push_back(loadGiven(b, interface, inputs, i));
    inputPointers.push_back(emitPointer(b, interface, tensor, sizes, givenInputs[i], base, variant));
    bool isPast = interface.states && interface.states->past == i; // CallStates checks its range
    if (interface.device && (isPast || tensor.isStates))           // the host reads these inputs
      b.returnIf(b.CreateIsNotNull(givenInputs[i].memory), HEDDLE_INVALID_ARGUMENT);
    if (!isPast)
      emitRangeCheck(b, interface, tensor, sizes, inputPointers.back());
  }
  for (auto [i, tensor] : enumerate(interface.outputs)) {
    givenOutputs.push_back(loadGiven(b, interface, outputs, i));
    outputPointers.push_back(emitPointer(b, interface, tensor, sizes, givenOutputs[i], base, variant));
  }
  Value *check = nullptr;
  if (interface.indexCheck)
    check = emitArenaPlace(b, interface, *interface.indexCheck, sizes, base, variant);
  // Stores the sizes in the call header (the first bytes of the arena), from which heddle.size reads them.
  auto storeSizes = [&] {
    for (auto [i, size] : enumerate(sizes))
      b.store(size, base, arenaSizeOffset(int64_t(i)));
  };
  std::optional<CallStates> states;
  if (interface.states) {
    const InterfaceStates &all = *interface.states;
    states.emplace(b, interface, sizes, inputPointers[all.input], all.past ? givenInputs[*all.past].pointer : nullptr);
    states->begin(all.past ? emitArenaPlace(b, interface, interface.inputs[*all.past], sizes, base, variant) : nullptr);
  }
  if (interface.device) {
    storeSizes();
    auto place = [&](const InterfaceTensor &tensor, const Given &given, Value *pointer) {
      Value *size = b.CreateMul(emitCount(b, tensor, sizes), b.word(tensor.elementSize()));
      return PlacedTensor{pointer, given.memory, given.offset, size};
    };
    SmallVector<PlacedTensor> in, out, kept;
    for (auto [i, tensor] : enumerate(interface.inputs)) // an omitted input has its default values in the arena
      in.push_back(place(tensor, givenInputs[i], tensor.isStates ? ConstantPointerNull::get(b.ptr) : inputPointers[i]));
    for (auto [i, tensor] : enumerate(interface.outputs))
      out.push_back(place(tensor, givenOutputs[i], givenOutputs[i].pointer));
    if (check) {
      // If the device fails, it does not write the index check. So set the check to 0 first; then the call returns the
      // device's status.
      b.store(b.getInt32(0), check, 0);
      out.push_back({check, ConstantPointerNull::get(b.ptr), b.word(0), b.word(sizeof(int32_t))});
    }
    if (states)
      for (const InterfaceState &state : interface.states->all)
        kept.push_back(states->place(state));
    emitReturn(b, emitReplay(b, interface, model, base, in, out, kept), check, states ? &*states : nullptr);
    return b.function;
  }

  // Store the first words of the call header, which heddle.dispatch reads: the executor and the number of threads.
  HostExecutor host(b, interface, executor, threads);
  b.store(host.get(), base, 0);
  b.store(threads, base, 8);
  storeSizes();
  SmallVector<Value *> arguments;
  for (const InterfaceArgument &argument : interface.arguments) {
    switch (argument.kind) {
    case InterfaceArgument::Input:
      arguments.push_back(inputPointers[argument.index]);
      break;
    case InterfaceArgument::Output:
      arguments.push_back(outputPointers[argument.index]);
      break;
    case InterfaceArgument::Weights:
      arguments.push_back(b.load(b.ptr, model, offsetof(ModelWords, weights)));
      break;
    case InterfaceArgument::Arena:
      arguments.push_back(base);
      break;
    case InterfaceArgument::IndexCheck:
      arguments.push_back(check);
      break;
    case InterfaceArgument::State:
      arguments.push_back(states->address(interface.states->all[argument.index]));
      break;
    }
  }
  emitCall(b, interface, variant, arguments);
  emitReturn(b, host.getStatus(), check, states ? &*states : nullptr);
  return b.function;
}

/// Returns the parameter types of run_arrays (with an executor) or run_on_device (without).
static SmallVector<Type *> getRunTypes(LLVMContext &context, bool hasExecutor) {
  Type *pointer = PointerType::getUnqual(context);
  SmallVector<Type *> types(5, pointer);
  types.push_back(Type::getInt64Ty(context));
  if (hasExecutor)
    types.push_back(pointer);
  return types;
}

Function *heddle::emitRunOnDevice(Module &module, const ModelInterface &interface) {
  LLVMContext &context = module.getContext();
  EntryBuilder b(module, interface.name + "_run_on_device", Type::getInt32Ty(context),
                 getRunTypes(context, /*hasExecutor=*/false), /*isExported=*/true);
  return emitRun(b, interface);
}

/// Emits code that converts arrays of host pointers to arrays of struct heddle_place, and calls run_on_device.
static void emitPlaces(EntryBuilder &b, const ModelInterface &interface, Function *runOnDevice) {
  auto places = [&](Value *array, size_t count) {
    constexpr uint64_t words = sizeof(heddle_place) / 8;
    Value *list = b.CreateAlloca(b.i64, b.word(std::max<uint64_t>(words * count, 1)));
    for (size_t i = 0; i < count; ++i) {
      uint64_t place = sizeof(heddle_place) * i;
      b.store(b.load(b.ptr, array, 8 * i), list, place + offsetof(heddle_place, host));
      b.store(ConstantPointerNull::get(b.ptr), list, place + offsetof(heddle_place, memory));
      b.store(b.word(0), list, place + offsetof(heddle_place, offset));
    }
    return list;
  };
  Value *inputs = places(b.arg(2), interface.inputs.size()), *outputs = places(b.arg(3), interface.outputs.size());
  b.CreateRet(b.CreateCall(runOnDevice, {b.arg(0), b.arg(1), inputs, outputs, b.arg(4), b.arg(5)}));
}

Function *heddle::emitRunArrays(Module &module, const ModelInterface &interface, Function *runOnDevice) {
  LLVMContext &context = module.getContext();
  SmallVector<Function *> ofClasses;
  for (const ModelInterface &one : interface.classes)
    ofClasses.push_back(emitRunArrays(module, one, /*runOnDevice=*/nullptr));
  EntryBuilder b(module, interface.name + "_run_arrays" + interface.classSuffix, Type::getInt32Ty(context),
                 getRunTypes(context, /*hasExecutor=*/true), /*isExported=*/false);
  if (!ofClasses.empty()) {
    Value *words = b.arg(1);
    b.returnIf(b.isNull(words), HEDDLE_INVALID_ARGUMENT);
    b.returnIf(emitOutOfRange(b, interface, words), HEDDLE_INVALID_ARGUMENT);
    returnOfClass(b, interface, words, ofClasses);
    return b.function;
  }
  if (!runOnDevice)
    return emitRun(b, interface);
  emitPlaces(b, interface, runOnDevice);
  return b.function;
}
