//===- EntryBuilder.cpp - builds entry point functions --------------------===//

#include "EntryBuilder.h"

using namespace llvm;
using namespace heddle;

EntryBuilder::EntryBuilder(Module &module, StringRef name, Type *result, ArrayRef<Type *> arguments,
                           bool isExported)
    : IRBuilder(module.getContext()), ptr(PointerType::getUnqual(module.getContext())), i8(getInt8Ty()),
      i32(getInt32Ty()), i64(getInt64Ty()) {
  function =
      Function::Create(FunctionType::get(result, arguments, /*isVarArg=*/false),
                       isExported ? GlobalValue::ExternalLinkage : GlobalValue::InternalLinkage, name, module);
  function->addFnAttr(Attribute::NoUnwind);
  SetInsertPoint(block("entry"));
}

void EntryBuilder::returnIf(Value *condition, heddle_status code) {
  BasicBlock *refuse = block("refuse"), *next = block("next");
  CreateCondBr(condition, refuse, next);
  SetInsertPoint(refuse);
  status(code);
  SetInsertPoint(next);
}

void EntryBuilder::branch(Value *condition, function_ref<void()> body) {
  BasicBlock *then = block("then"), *next = block("next");
  CreateCondBr(condition, then, next);
  SetInsertPoint(then);
  body();
  CreateBr(next);
  SetInsertPoint(next);
}

void EntryBuilder::loop(Value *count, uint64_t step, function_ref<void(Value *)> body) {
  BasicBlock *before = GetInsertBlock(), *head = block("loop"), *done = block("done");
  CreateBr(head);
  SetInsertPoint(head);
  PHINode *i = CreatePHI(i64, 2);
  i->addIncoming(word(0), before);
  body(i);
  Value *following = CreateAdd(i, word(step));
  i->addIncoming(following, GetInsertBlock());
  CreateCondBr(CreateICmpULT(following, count), head, done);
  SetInsertPoint(done);
}
