//===- ConvertDispatch.cpp - heddle.dispatch to LLVM ----------------------===//
//
// heddle.dispatch runs the tasks of a parallel loop on several workers. It
// stores a closure on the caller's stack and waits until all tasks are done.
// To get its next task, a worker increments a shared counter. Each increment
// is called a draw; the counter's old value is the number of the draw and
// determines the task. The layout of the closure, in words of 8 bytes, is:
//
//   word 0       number of the next draw, incremented atomically
//   word 8       number of tasks
//   word 9       address of the first worker's scratch memory
//   word 10      number of workers
//   word 11..    captured values, which are arguments of each task
//
// The counter has a cache line of its own, because every worker writes it. The
// tasks are divided into runs of consecutive tasks, one run for each worker.
// Successive draws take tasks from successive runs. If all workers are equally
// fast, each of them executes the tasks of one run. The next task on a core
// then finds in the core's cache the data that the previous task has left
// there (prefetched weights, keys of a head).
//
//===----------------------------------------------------------------------===//

#include "ConvertDispatch.h"

#include "Heddle.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;

static constexpr int32_t counterWord = 0, countWord = 8, scratchWord = 9, workersWord = 10, firstCaptureWord = 11;
// The words of struct heddle_executor are self, threads and parallel_for. The first words of the call header, which is
// at the start of the arena, are executor and threads.
static constexpr int32_t selfWord = 0, parallelForWord = 2, callHeaderExecutorWord = 0, callHeaderThreadsWord = 1;

namespace {

/// Emits constants, and addresses, loads and stores of words of 8 bytes. `word` is the index of a word after `base`.
struct Words {
  Words(OpBuilder &builder, Location loc)
      : builder(builder), loc(loc), ptr(LLVM::LLVMPointerType::get(builder.getContext())),
        i64(builder.getI64Type()) {}

  Value constant(int64_t value) { return LLVM::ConstantOp::create(builder, loc, i64, value); }
  Value address(Value base, int32_t word) {
    return LLVM::GEPOp::create(builder, loc, ptr, i64, base, ArrayRef<LLVM::GEPArg>{word});
  }
  Value load(Type type, Value base, int32_t word) {
    return LLVM::LoadOp::create(builder, loc, type, address(base, word), 8);
  }
  void store(Value value, Value base, int32_t word) {
    LLVM::StoreOp::create(builder, loc, value, address(base, word), 8);
  }

  OpBuilder &builder;
  Location loc;
  Type ptr, i64;
};

/// Converts heddle.dispatch to a call of the executor's parallel_for, or of the worker function if one worker runs all
/// tasks.
struct DispatchLowering : ConvertOpToLLVMPattern<DispatchOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(DispatchOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override;

private:
  /// Returns the argument that passes a value to a task: the pointer of a static memref, or the scalar itself.
  Value getPassed(OpBuilder &builder, Location loc, Type type, Value converted) const {
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref)
      return converted;
    return MemRefDescriptor(converted).bufferPtr(builder, loc, *getTypeConverter(), memref);
  }
  /// `passed` contains the types with which the captured values are passed to each task.
  LLVM::LLVMFuncOp makeWorker(DispatchOp op, ArrayRef<Type> passed, ConversionPatternRewriter &rewriter) const;
};

} // namespace

/// Makes the function that the executor calls once for each worker, with the closure and the index of the worker. The
/// function runs tasks until no task is left.
LLVM::LLVMFuncOp DispatchLowering::makeWorker(DispatchOp op, ArrayRef<Type> passed,
                                              ConversionPatternRewriter &rewriter) const {
  OpBuilder::InsertionGuard guard(rewriter);
  auto module = op->getParentOfType<ModuleOp>();
  rewriter.setInsertionPointToEnd(module.getBody());
  Words words(rewriter, op.getLoc());
  Location loc = op.getLoc();
  std::string name = (op.getTask() + "_worker").str();
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(op.getContext()), {words.ptr, words.i64});
  auto worker = LLVM::LLVMFuncOp::create(rewriter, loc, name, type, LLVM::Linkage::Internal);
  Block *entry = worker.addEntryBlock(rewriter);
  Block *head = rewriter.createBlock(&worker.getBody());
  Block *drawn = rewriter.createBlock(&worker.getBody());
  Block *body = rewriter.createBlock(&worker.getBody());
  Block *done = rewriter.createBlock(&worker.getBody());
  Value closure = entry->getArgument(0), index = entry->getArgument(1);

  rewriter.setInsertionPointToEnd(entry);
  Value count = words.load(words.i64, closure, countWord);
  Value runs = words.load(words.i64, closure, workersWord);
  // Make as many draws as if all runs had the length of the longest run, which is ceil(count / runs).
  Value longest = LLVM::UDivOp::create(
      rewriter, loc, LLVM::AddOp::create(rewriter, loc, count, LLVM::SubOp::create(rewriter, loc, runs, words.constant(1))),
      runs);
  Value draws = LLVM::MulOp::create(rewriter, loc, longest, runs);
  // The arguments of a task: its number (set below), its worker's scratch memory, and the captured values.
  SmallVector<Value> arguments(1);
  if (op.getScratch()) {
    int64_t size = cast<MemRefType>(op.getScratch().getType()).getNumElements();
    Value offset = LLVM::MulOp::create(rewriter, loc, index, words.constant(size));
    arguments.push_back(LLVM::GEPOp::create(rewriter, loc, words.ptr, rewriter.getI8Type(),
                                            words.load(words.ptr, closure, scratchWord),
                                            ArrayRef<LLVM::GEPArg>{offset}));
  }
  for (auto [i, captured] : llvm::enumerate(passed))
    arguments.push_back(words.load(captured, closure, firstCaptureWord + i));
  LLVM::BrOp::create(rewriter, loc, head);

  rewriter.setInsertionPointToEnd(head);
  Value draw =
      LLVM::AtomicRMWOp::create(rewriter, loc, LLVM::AtomicBinOp::add, words.address(closure, counterWord),
                                words.constant(1), LLVM::AtomicOrdering::monotonic);
  Value more = LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::ult, draw, draws);
  LLVM::CondBrOp::create(rewriter, loc, more, drawn, done);

  // Run r starts at task r x count / runs. A draw beyond the end of a shorter run has no task.
  rewriter.setInsertionPointToEnd(drawn);
  Value run = LLVM::URemOp::create(rewriter, loc, draw, runs);
  auto start = [&](Value number) -> Value {
    return LLVM::UDivOp::create(rewriter, loc, LLVM::MulOp::create(rewriter, loc, number, count), runs);
  };
  arguments[0] = LLVM::AddOp::create(rewriter, loc, start(run), LLVM::UDivOp::create(rewriter, loc, draw, runs));
  Value end = start(LLVM::AddOp::create(rewriter, loc, run, words.constant(1)));
  Value present = LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::ult, arguments[0], end);
  LLVM::CondBrOp::create(rewriter, loc, present, body, head);

  rewriter.setInsertionPointToEnd(body);
  LLVM::CallOp::create(rewriter, loc, TypeRange(), op.getTask(), arguments);
  LLVM::BrOp::create(rewriter, loc, head);
  rewriter.setInsertionPointToEnd(done);
  LLVM::ReturnOp::create(rewriter, loc, ValueRange());
  return worker;
}

LogicalResult DispatchLowering::matchAndRewrite(DispatchOp op, OpAdaptor adaptor,
                                                ConversionPatternRewriter &rewriter) const {
  Location loc = op.getLoc();
  Words words(rewriter, loc);
  Value count = adaptor.getCount();
  Value callHeader = getPassed(rewriter, loc, op.getArena().getType(), adaptor.getArena());
  Value scratch;
  if (op.getScratch())
    scratch = getPassed(rewriter, loc, op.getScratch().getType(), adaptor.getScratch());
  SmallVector<Value> passed;
  for (auto [capture, converted] : llvm::zip(op.getCaptures(), adaptor.getCaptures()))
    passed.push_back(getPassed(rewriter, loc, capture.getType(), converted));
  LLVM::LLVMFuncOp worker = makeWorker(op, SmallVector<Type>(ValueRange(passed).getTypes()), rewriter);

  // Allocate the closure at the start of the function, so that a loop around the dispatch does not grow the stack.
  Value closure;
  {
    OpBuilder::InsertionGuard guard(rewriter);
    Operation *parent = op->getParentOp();
    while (!isa<FunctionOpInterface>(parent))
      parent = parent->getParentOp();
    rewriter.setInsertionPointToStart(&cast<FunctionOpInterface>(parent).getFunctionBody().front());
    Value size = LLVM::ConstantOp::create(rewriter, loc, words.i64, int64_t(firstCaptureWord + passed.size()));
    closure = LLVM::AllocaOp::create(rewriter, loc, words.ptr, words.i64, size, /*alignment=*/64);
  }

  Value executor = words.load(words.ptr, callHeader, callHeaderExecutorWord);
  Value threads = words.load(words.i64, callHeader, callHeaderThreadsWord);
  Value workers = LLVM::UMinOp::create(rewriter, loc, threads, count);
  // A number of tasks that is known only at run time may be 0. Use one worker even then, because the worker divides by
  // the number of workers. In this case the worker finds no task.
  if (!matchPattern(op.getCount(), m_Constant()))
    workers = LLVM::UMaxOp::create(rewriter, loc, workers, words.constant(1));
  Value parallel = LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::ugt, workers, words.constant(1));

  words.store(words.constant(0), closure, counterWord);
  words.store(count, closure, countWord);
  words.store(workers, closure, workersWord);
  if (scratch)
    words.store(scratch, closure, scratchWord);
  for (auto [i, value] : llvm::enumerate(passed))
    words.store(value, closure, firstCaptureWord + i);

  Block *before = rewriter.getInsertionBlock();
  Block *after = rewriter.splitBlock(before, rewriter.getInsertionPoint());
  Block *shared = rewriter.createBlock(after);
  Block *alone = rewriter.createBlock(after);
  rewriter.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(rewriter, loc, parallel, shared, alone);

  rewriter.setInsertionPointToEnd(shared);
  Value self = words.load(words.ptr, executor, selfWord);
  Value parallelFor = words.load(words.ptr, executor, parallelForWord);
  Value workerAddress = LLVM::AddressOfOp::create(rewriter, loc, words.ptr, worker.getName());
  // The status that parallel_for returns is ignored here, because the executor of a kernel is a wrapper that stores the
  // status of the host program's executor (abi/EntryExecutor.cpp).
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(op.getContext()),
                                          {words.ptr, words.i64, words.ptr, words.ptr});
  LLVM::CallOp::create(rewriter, loc, type, ValueRange{parallelFor, self, workers, workerAddress, closure});
  LLVM::BrOp::create(rewriter, loc, after);

  rewriter.setInsertionPointToEnd(alone);
  LLVM::CallOp::create(rewriter, loc, worker, ValueRange{closure, words.constant(0)});
  LLVM::BrOp::create(rewriter, loc, after);
  rewriter.eraseOp(op);
  return success();
}

void heddle::populateDispatchToLLVM(const LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<DispatchLowering>(converter);
}
