//===- EntryPoints.cpp - the functions that C programs call ---------------===//

#include "EntryPoints.h"
#include "EntryDevice.h"
#include "EntryPieces.h"
#include "EntryStates.h"

using namespace llvm;
using namespace heddle;

namespace {
/// Emits the functions that C programs call. They convert their arguments and call internal functions.
struct EntryPoints {
  Module &module;
  const ModelInterface &interface;
  LLVMContext &context = module.getContext();
  Type *i32 = Type::getInt32Ty(context), *i64 = Type::getInt64Ty(context);
  PointerType *ptr = PointerType::getUnqual(context);

  /// Stores `count` consecutive arguments of the function, from number `first` on, in an array of words.
  Value *emitArray(EntryBuilder &b, unsigned first, unsigned count) {
    Value *array = b.CreateAlloca(i64, b.word(std::max(count, 1u)));
    for (unsigned i = 0; i < count; ++i)
      b.store(b.arg(first + i), array, 8 * i);
    return array;
  }

  /// Emits code that stores the sizes that lie in ranges in an array, in the order of interface.sizes. `brought(i)`
  /// returns the value that the caller passed for interface.dims[i]. Sets `isWrong` to a boolean that is true at run
  /// time if the caller passed the wrong value for a fixed size.
  Value *emitSizeArray(EntryBuilder &b, function_ref<Value *(unsigned)> brought, Value *&isWrong) {
    Value *array = b.CreateAlloca(i64, b.word(std::max<size_t>(interface.sizes.size(), 1)));
    isWrong = b.getFalse();
    for (auto [i, dim] : enumerate(interface.dims)) {
      if (dim.isFixed())
        isWrong = b.CreateOr(isWrong, b.CreateICmpNE(brought(i), b.word(dim.low)));
      else
        b.store(brought(i), array, 8 * *dim.number);
    }
    return array;
  }

  /// Emits arena_bytes(sizes, threads), which returns the number of bytes of an arena, or 0 if a size is out of its
  /// range.
  Function *emitArenaBytes(const ModelInterface &interface) {
    SmallVector<Function *> ofClasses;
    for (const ModelInterface &one : interface.classes)
      ofClasses.push_back(emitArenaBytes(one));
    EntryBuilder b(module, interface.name + "_arena_bytes" + interface.classSuffix, i64, {ptr, i64}, /*isExported=*/false);
    auto returnNoneIf = [&](Value *wrong) {
      BasicBlock *none = b.block("none"), *next = b.block("next");
      b.CreateCondBr(wrong, none, next);
      b.SetInsertPoint(none);
      b.CreateRet(b.word(0));
      b.SetInsertPoint(next);
    };
    if (!interface.sizes.empty()) {
      returnNoneIf(b.isNull(b.arg(0)));
      returnNoneIf(emitOutOfRange(b, interface, b.arg(0)));
    }
    if (!ofClasses.empty()) {
      returnOfClass(b, interface, b.arg(0), ofClasses);
      return b.function;
    }
    Value *threads = b.CreateBinaryIntrinsic(Intrinsic::umax, b.arg(1), b.word(1));
    Value *shared = emitSharedBytes(b, interface, emitSizes(b, interface, b.arg(0)));
    Value *size = b.CreateAdd(b.CreateMul(threads, b.word(interface.workerSize)), shared);
    // If the number of bytes for this number of threads does not fit into 64 bits, the result is SIZE_MAX, which no
    // caller can allocate.
    if (interface.workerSize) {
      Value *maximum = b.CreateUDiv(b.CreateSub(b.word(UINT64_MAX), shared), b.word(interface.workerSize));
      size = b.CreateSelect(b.CreateICmpUGT(threads, maximum), b.word(UINT64_MAX), size);
    }
    b.CreateRet(size);
    return b.function;
  }

  /// Emits NAME_arena_size(dims.., threads).
  void emitArenaSize(Function *arenaBytes) {
    unsigned count = interface.dims.size();
    EntryBuilder b(module, interface.name + "_arena_size", i64, SmallVector<Type *>(count + 1, i64), /*isExported=*/true);
    Value *isWrong;
    Value *sizes = emitSizeArray(b, [&](unsigned i) { return b.arg(i); }, isWrong);
    Value *size = b.CreateCall(arenaBytes, {sizes, b.arg(count)});
    b.CreateRet(b.CreateSelect(isWrong, b.word(0), size));
  }

  /// Emits NAME_run(model, args, arena, arenaSize, executor); `args` is an array of words: the sizes in interface.dims,
  /// the pointers to inputs, and the pointers to outputs.
  void emitRun(Function *runArrays) {
    EntryBuilder b(module, interface.name + "_run", i32, {ptr, ptr, ptr, i64, ptr}, /*isExported=*/true);
    Value *args = b.arg(1);
    b.returnIf(b.isNull(args), HEDDLE_INVALID_ARGUMENT);
    Value *isWrong;
    Value *sizes = emitSizeArray(b, [&](unsigned i) { return b.load(i64, args, 8 * i); }, isWrong);
    b.returnIf(isWrong, HEDDLE_INVALID_ARGUMENT);
    Value *inputs = b.address(args, b.word(8 * interface.dims.size()));
    Value *outputs = b.address(inputs, b.word(8 * interface.inputs.size()));
    b.CreateRet(b.CreateCall(runArrays, {b.arg(0), sizes, inputs, outputs, b.arg(2), b.arg(3), b.arg(4)}));
  }

  /// Emits NAME(dims.., inputs.., outputs.., arena, arenaSize, executor).
  void emitPositional(Function *runArrays, GlobalVariable *chosen, Function *choose) {
    unsigned dims = interface.dims.size(), inputs = interface.inputs.size();
    unsigned count = inputs + interface.outputs.size(), arena = dims + count;
    SmallVector<Type *> types(dims, i64);
    types.append(count, ptr);
    types.append({ptr, i64, ptr});
    EntryBuilder b(module, interface.name, i32, types, /*isExported=*/true);
    Value *isWrong;
    Value *sizes = emitSizeArray(b, [&](unsigned i) { return b.arg(i); }, isWrong);
    b.returnIf(isWrong, HEDDLE_INVALID_ARGUMENT);
    Value *variant = loadChoice(b, chosen, choose);
    Value *array = emitArray(b, dims, count);
    // Since there are no weights, this code can set all words of the model and need not call init.
    Value *model = b.CreateAlloca(i64, b.word(modelWords(interface)));
    b.store(b.word(0), model, offsetof(ModelWords, weights));
    b.store(b.word(getModelFingerprint(interface)), model, offsetof(ModelWords, fingerprint));
    b.store(variant, model, offsetof(ModelWords, variant));
    b.CreateRet(b.CreateCall(runArrays, {model, sizes, array, b.address(array, b.word(8 * inputs)), b.arg(arena),
                                         b.arg(arena + 1), b.arg(arena + 2)}));
  }

  /// Emits NAME_init(model, weights, size).
  void emitPublicInit(Function *init) {
    EntryBuilder b(module, interface.name + "_init", i32, {ptr, ptr, i64}, /*isExported=*/true);
    b.CreateRet(b.CreateCall(init, {b.arg(0), ConstantPointerNull::get(ptr), b.arg(1), b.arg(2)}));
  }

  /// Emits NAME_status_text(status).
  void emitStatusText() {
    EntryBuilder b(module, interface.name + "_status_text", ptr, {i32}, /*isExported=*/true);
    BasicBlock *unknown = b.block("unknown");
    // The last status that functions of this library return.
    int last = interface.states ? HEDDLE_STATE_FULL : HEDDLE_DEVICE_ERROR;
    SwitchInst *choice = b.CreateSwitch(b.arg(0), unknown, last + 1);
    for (int i = HEDDLE_OK; i <= last; ++i) {
      BasicBlock *known = b.block("known");
      choice->addCase(b.getInt32(i), known);
      b.SetInsertPoint(known);
      b.CreateRet(b.CreateGlobalString(heddle_status_text(i)));
    }
    b.SetInsertPoint(unknown);
    b.CreateRet(b.CreateGlobalString(heddle_status_text(-1)));
  }

  /// Emits NAME_describe(), which returns `model`, and heddle_query(abi), which returns `model` if the library has this
  /// version of the ABI, and null otherwise.
  void emitDescribe(GlobalVariable *model) {
    EntryBuilder describe(module, interface.name + "_describe", ptr, {}, /*isExported=*/true);
    describe.CreateRet(model);
    if (!interface.exportQuery)
      return;
    EntryBuilder query(module, "heddle_query", ptr, {i32}, /*isExported=*/true);
    Value *same = query.CreateICmpEQ(query.arg(0), query.getInt32(HEDDLE_ABI_VERSION));
    query.CreateRet(query.CreateSelect(same, model, ConstantPointerNull::get(ptr)));
  }
};
} // namespace

void heddle::addEntryPoints(Module &module, const ModelInterface &interface, const EntryMachine &machine) {
  SmallPtrSet<Function *, 32> compiled;
  for (Function &function : module)
    if (!function.isDeclaration()) {
      function.setLinkage(GlobalValue::InternalLinkage);
      compiled.insert(&function);
    }
  EntryPoints entries{module, interface};
  Function *choose = emitChoose(module, interface, machine);
  DescribedFunctions described;
  if (interface.device)
    described.runOnDevice = emitRunOnDevice(module, interface);
  Function *runArrays = emitRunArrays(module, interface, described.runOnDevice);
  // If arguments are positional, the functions for the members `variant` and `init` of heddle_model are internal, and
  // emitPositionalChoice emits the public functions NAME_variant and NAME_init_variant, which take no model.
  bool isPublic = !interface.positional;
  StringRef inside = isPublic ? "" : "_of_model";
  described.run = runArrays;
  described.variant = emitVariant(module, interface, (interface.name + "_variant" + inside).str(), isPublic);
  if (interface.device) {
    described.deinit = emitDeinit(module, interface);
    described.initOnDevice = emitInitOnDevice(module, interface, described.deinit);
  } else {
    described.init = emitInit(module, interface, choose, (interface.name + "_init_variant" + inside).str(), isPublic);
  }
  if (isPublic) {
    if (described.init)
      entries.emitPublicInit(described.init);
    entries.emitRun(runArrays);
  } else {
    entries.emitPositional(runArrays, emitPositionalChoice(module, interface, choose), choose);
  }
  described.arenaSize = entries.emitArenaBytes(interface);
  entries.emitArenaSize(described.arenaSize);
  if (interface.states) {
    StateFunctions states = emitStateFunctions(module, interface);
    described.stateSize = states.size;
    described.stateInit = states.init;
    described.stateCopy = states.copy;
    described.stateDeinit = states.deinit;
    described.stateDeviceMemory = states.deviceMemory;
  }
  entries.emitStatusText();
  entries.emitDescribe(addDescription(module, interface, described));
  // The functions that were added must run on any CPU of the architecture. The model's functions are left unchanged.
  for (Function &function : module)
    if (!function.isDeclaration() && !compiled.contains(&function)) {
      function.addFnAttr("target-cpu", machine.cpu);
      function.addFnAttr("target-features", machine.features);
    }
}
