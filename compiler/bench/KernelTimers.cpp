//===- KernelTimers.cpp - timers around kernels ---------------------------===//

#include "KernelTimers.h"

#include "Measure.h"

#include "Notes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::bench;

void KernelTimers::recordTime(KernelTimers *timers, int64_t slot) { timers->stamps[size_t(slot)] = now(); }

/// Inserts the call function(timers, slot). The addresses become constants of the code.
static void insertCall(OpBuilder &builder, Location loc, const void *function, const void *timers, int64_t slot) {
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext()), i64 = builder.getI64Type();
  auto address = [&](const void *value) -> Value {
    Value number = LLVM::ConstantOp::create(builder, loc, i64, builder.getI64IntegerAttr(int64_t(uintptr_t(value))));
    return LLVM::IntToPtrOp::create(builder, loc, pointer, number);
  };
  Value number = LLVM::ConstantOp::create(builder, loc, i64, builder.getI64IntegerAttr(slot));
  Value callee = address(function), self = address(timers);
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()), {pointer, i64});
  LLVM::CallOp::create(builder, loc, type, ValueRange{callee, self, number});
}

LogicalResult KernelTimers::insert(Stage stage, ModuleOp module) {
  if (stage != Stage::LLVM)
    return success();
  std::vector<std::string> kernels;
  SmallVector<LLVM::CallOp> calls;
  module.walk([&](LLVM::CallOp call) {
    auto callee = call.getCallee() ? module.lookupSymbol<LLVM::LLVMFuncOp>(*call.getCallee()) : nullptr;
    if (callee && notes::kernel.has(callee))
      calls.push_back(call);
  });
  for (LLVM::CallOp call : calls) {
    OpBuilder builder(call);
    auto slot = int64_t(2 * kernels.size());
    auto *function = reinterpret_cast<const void *>(&KernelTimers::recordTime);
    insertCall(builder, call.getLoc(), function, this, slot);
    builder.setInsertionPointAfter(call);
    insertCall(builder, call.getLoc(), function, this, slot + 1);
    kernels.push_back(call.getCallee()->str());
  }
  stamps.assign(2 * kernels.size(), 0);
  times = CallTimes(std::move(kernels));
  return success();
}

void KernelTimers::finishCall() {
  std::vector<double> seconds(times.size());
  for (size_t i = 0; i < seconds.size(); ++i)
    seconds[i] = stamps[2 * i + 1] - stamps[2 * i];
  times.add(seconds);
}
