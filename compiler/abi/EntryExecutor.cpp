//===- EntryExecutor.cpp - the executor that kernels use ------------------===//
//
// The host program's executor, which runs tasks on threads, may fail and return
// a status. Kernels do not check this status, because a check after each
// dispatch (a set of tasks that run in parallel) would cost time. But
// the code after a dispatch reads the results of its tasks, so all tasks must
// be completed even if the executor fails. Therefore kernels use another
// executor, whose parallel_for calls the host's executor and stores the status.
// If the host's executor fails, the calling thread itself calls task(data, i)
// for each i < count. The function `task` is the code of worker i of a
// dispatch: it runs tasks of the dispatch until no task is left. The two
// structs in memory are:
//
//   struct heddle_executor: self, threads, parallel_for
//   context:                the host's executor, status
//
//===----------------------------------------------------------------------===//

#include "EntryPieces.h"

using namespace llvm;
using namespace heddle;

static constexpr uint64_t selfByte = 0, threadsByte = 8, parallelForByte = 16, executorBytes = 24;
static constexpr uint64_t hostByte = 0, statusByte = 8, contextBytes = 16;

/// Emits parallel_for(context, count, task, data).
static Function *emitParallelFor(Module &module, const ModelInterface &interface) {
  std::string name = interface.name + "_parallel_for";
  if (Function *known = module.getFunction(name)) // another class of sizes has emitted it
    return known;
  auto *pointer = PointerType::getUnqual(module.getContext());
  auto *word = Type::getInt64Ty(module.getContext());
  EntryBuilder b(module, name, Type::getInt32Ty(module.getContext()),
                 {pointer, word, pointer, pointer}, /*isExported=*/false);
  Value *context = b.arg(0), *count = b.arg(1), *task = b.arg(2), *data = b.arg(3);
  auto *type = FunctionType::get(b.i32, {pointer, word, pointer, pointer}, /*isVarArg=*/false);
  auto isOk = [&](Value *status) { return b.CreateICmpEQ(status, b.getInt32(HEDDLE_OK)); };

  b.branch(isOk(b.load(b.i32, context, statusByte)), [&] {
    Value *host = b.load(b.ptr, context, hostByte);
    Value *status = b.CreateCall(type, b.load(b.ptr, host, parallelForByte),
                                 {b.load(b.ptr, host, selfByte), count, task, data});
    b.store(status, context, statusByte);
    b.returnIf(isOk(status), HEDDLE_OK);
  });
  auto *taskType = FunctionType::get(b.getVoidTy(), {pointer, word}, /*isVarArg=*/false);
  b.loop(count, 1, [&](Value *i) { b.CreateCall(taskType, task, {data, i}); });
  b.status(HEDDLE_OK);
  return b.function;
}

HostExecutor::HostExecutor(EntryBuilder &b, const ModelInterface &interface, Value *host, Value *threads) : b(b) {
  context = b.CreateAlloca(b.i8, b.word(contextBytes));
  executor = b.CreateAlloca(b.i8, b.word(executorBytes));
  for (Value *place : {context, executor})
    cast<AllocaInst>(place)->setAlignment(Align(8));
  b.store(host, context, hostByte);
  b.store(b.getInt32(HEDDLE_OK), context, statusByte);
  b.store(context, executor, selfByte);
  b.store(threads, executor, threadsByte);
  b.store(emitParallelFor(*b.function->getParent(), interface), executor, parallelForByte);
}

Value *HostExecutor::getStatus() { return b.load(b.i32, context, statusByte); }
