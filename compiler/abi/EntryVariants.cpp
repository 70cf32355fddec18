//===- EntryVariants.cpp - selects the variant to run ---------------------===//

#include "EntryPieces.h"

using namespace llvm;
using namespace heddle;

/// Emits runs(), which returns HEDDLE_OK if this machine has the features that the variant's code needs, else a status.
static Function *emitRuns(Module &module, const ModelInterface &interface, const EntryMachine &machine,
                          unsigned variant) {
  EntryBuilder b(module, interface.name + "_runs" + interface.getSuffix(variant), Type::getInt32Ty(module.getContext()),
                 {}, /*isExported=*/false);
  machine.emitCheck(b, variant);
  b.status(HEDDLE_OK);
  return b.function;
}

Function *heddle::emitChoose(Module &module, const ModelInterface &interface, const EntryMachine &machine) {
  auto *pointer = PointerType::getUnqual(module.getContext());
  SmallVector<Function *> runs;
  for (unsigned i = 0; i < interface.variants.size(); ++i)
    runs.push_back(emitRuns(module, interface, machine, i));
  EntryBuilder b(module, interface.name + "_choose", Type::getInt64Ty(module.getContext()), {pointer},
                 /*isExported=*/false);
  FunctionCallee compare = module.getOrInsertFunction("strcmp", b.i32, b.ptr, b.ptr);
  auto refuse = [&](heddle_status status) { b.CreateRet(b.getInt64(-int64_t(status))); };
  auto returnIfRuns = [&](unsigned i) {
    BasicBlock *yes = b.block("yes"), *no = b.block("no");
    b.CreateCondBr(b.CreateICmpEQ(b.CreateCall(runs[i]), b.getInt32(HEDDLE_OK)), yes, no);
    b.SetInsertPoint(yes);
    b.CreateRet(b.word(i));
    b.SetInsertPoint(no);
  };
  BasicBlock *any = b.block("any"), *named = b.block("named");
  b.CreateCondBr(b.isNull(b.arg(0)), any, named);
  b.SetInsertPoint(any);
  for (unsigned i = 0; i < runs.size(); ++i)
    returnIfRuns(i);
  refuse(HEDDLE_UNSUPPORTED_CPU);
  b.SetInsertPoint(named);
  for (auto [i, variant] : enumerate(interface.variants)) {
    BasicBlock *same = b.block("same"), *other = b.block("other");
    Value *difference = b.CreateCall(compare, {b.arg(0), b.CreateGlobalString(variant.name)});
    b.CreateCondBr(b.CreateICmpEQ(difference, b.getInt32(0)), same, other);
    b.SetInsertPoint(same);
    returnIfRuns(i);
    refuse(HEDDLE_UNSUPPORTED_CPU);
    b.SetInsertPoint(other);
  }
  refuse(HEDDLE_INVALID_ARGUMENT);
  return b.function;
}

Value *heddle::callChoose(EntryBuilder &b, Function *choose, Value *name) {
  Value *variant = b.CreateCall(choose, {name});
  BasicBlock *refuse = b.block("refuse"), *chosen = b.block("chosen");
  b.CreateCondBr(b.CreateICmpSLT(variant, b.word(0)), refuse, chosen);
  b.SetInsertPoint(refuse);
  b.CreateRet(b.CreateTrunc(b.CreateNeg(variant), b.i32));
  b.SetInsertPoint(chosen);
  return variant;
}

Value *heddle::selectVariant(EntryBuilder &b, Value *variant, ArrayRef<Value *> values) {
  Value *selected = values[0];
  for (unsigned i = 1; i < values.size(); ++i)
    if (values[i] != selected)
      selected = b.CreateSelect(b.CreateICmpEQ(variant, b.word(i)), values[i], selected);
  return selected;
}

Value *heddle::emitVariantName(EntryBuilder &b, const ModelInterface &interface, Value *variant) {
  SmallVector<Value *> names;
  for (const InterfaceVariant &known : interface.variants)
    names.push_back(b.CreateGlobalString(known.name));
  return selectVariant(b, variant, names);
}

Value *heddle::loadVariant(EntryBuilder &b, const ModelInterface &interface, Value *model) {
  return interface.variants.size() == 1 ? b.word(0) : b.load(b.i64, model, offsetof(ModelWords, variant));
}

Function *heddle::emitVariant(Module &module, const ModelInterface &interface, StringRef name, bool isExported) {
  auto *pointer = PointerType::getUnqual(module.getContext());
  EntryBuilder b(module, name, pointer, {pointer}, isExported);
  Value *model = b.arg(0), *none = ConstantPointerNull::get(pointer);
  auto returnNoneIf = [&](Value *condition) {
    BasicBlock *refuse = b.block("none"), *next = b.block("next");
    b.CreateCondBr(condition, refuse, next);
    b.SetInsertPoint(refuse);
    b.CreateRet(none);
    b.SetInsertPoint(next);
  };
  returnNoneIf(b.isNull(model));
  returnNoneIf(
      b.CreateICmpNE(b.load(b.i64, model, offsetof(ModelWords, fingerprint)), b.word(getModelFingerprint(interface))));
  b.CreateRet(emitVariantName(b, interface, loadVariant(b, interface, model)));
  return b.function;
}

/// Loads the variable `chosen`. A relaxed load is enough: the variable only selects the code and publishes no other
/// data.
static Value *loadRelaxed(EntryBuilder &b, GlobalVariable *chosen) {
  LoadInst *load = b.CreateAlignedLoad(b.i64, chosen, Align(8));
  load->setAtomic(AtomicOrdering::Monotonic);
  return load;
}

GlobalVariable *heddle::emitPositionalChoice(Module &module, const ModelInterface &interface, Function *choose) {
  LLVMContext &context = module.getContext();
  auto *pointer = PointerType::getUnqual(context);
  auto *word = Type::getInt64Ty(context), *status = Type::getInt32Ty(context);
  auto *chosen = new GlobalVariable(module, word, /*isConstant=*/false, GlobalValue::InternalLinkage,
                                    ConstantInt::get(word, 0), interface.name + "_chosen");
  chosen->setAlignment(Align(8));

  // NAME_init keeps a selection that another thread has made before or makes at the same time.
  EntryBuilder init(module, interface.name + "_init", status, {}, /*isExported=*/true);
  init.returnIf(init.CreateICmpNE(loadRelaxed(init, chosen), init.word(0)), HEDDLE_OK);
  Value *best = callChoose(init, choose, ConstantPointerNull::get(pointer));
  init.CreateAtomicCmpXchg(chosen, init.word(0), init.CreateAdd(best, init.word(1)), Align(8),
                           AtomicOrdering::Monotonic, AtomicOrdering::Monotonic);
  init.status(HEDDLE_OK);

  // NAME_init_variant replaces an earlier selection.
  EntryBuilder force(module, interface.name + "_init_variant", status, {pointer}, /*isExported=*/true);
  Value *forced = callChoose(force, choose, force.arg(0));
  StoreInst *store = force.CreateAlignedStore(force.CreateAdd(forced, force.word(1)), chosen, Align(8));
  store->setAtomic(AtomicOrdering::Monotonic);
  force.status(HEDDLE_OK);

  EntryBuilder name(module, interface.name + "_variant", pointer, {}, /*isExported=*/true);
  Value *number = loadRelaxed(name, chosen);
  name.CreateRet(name.CreateSelect(name.CreateICmpEQ(number, name.word(0)), ConstantPointerNull::get(pointer),
                                   emitVariantName(name, interface, name.CreateSub(number, name.word(1)))));
  return chosen;
}

Value *heddle::loadChoice(EntryBuilder &b, GlobalVariable *chosen, Function *choose) {
  Value *number = loadRelaxed(b, chosen);
  BasicBlock *before = b.GetInsertBlock(), *none = b.block("none"), *known = b.block("known");
  Value *stored = b.CreateSub(number, b.word(1));
  b.CreateCondBr(b.CreateICmpEQ(number, b.word(0)), none, known);
  b.SetInsertPoint(none);
  Value *best = callChoose(b, choose, ConstantPointerNull::get(b.ptr));
  BasicBlock *found = b.GetInsertBlock();
  b.CreateBr(known);
  b.SetInsertPoint(known);
  PHINode *variant = b.CreatePHI(b.i64, 2);
  variant->addIncoming(stored, before);
  variant->addIncoming(best, found);
  return variant;
}
