//===- GroupAccesses.cpp - groups accesses for bufferization --------------===//
//
// For each access to a tensor, one-shot bufferization compares all reads of the tensor with all writes. This is slow
// for a vectorised tile, which has about a hundred accesses. The pass heddle-group-accesses moves each run of
// consecutive operations with such accesses into the region of one operation, heddle.accesses. Bufferization then sees
// at most one read and one write of each tensor for a run. The region accesses buffers instead of tensors.
//
//===----------------------------------------------------------------------===//

#include "heddle/Passes.h"

#include "Heddle.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace heddle;

namespace heddle {
#define GEN_PASS_DEF_GROUPACCESSES
#include "heddle/Passes.h.inc"
} // namespace heddle

namespace {
/// A tensor that a run accesses.
struct Accessed {
  Value before, after; // the tensor's value before and after the run
  // Two indices into the operations of the run: the first operation that writes the tensor (-1 if none does), and the
  // last operation that accesses the tensor.
  int64_t firstWrite = -1, last = -1;
  // Whether the run reads any element, and whether the first write overwrites all elements before any read.
  bool read = false, overwritten = false;
  bool written() const { return firstWrite >= 0; }
};

/// Returns the operand of `op` that is the tensor whose elements `op` reads or writes; null if there is none.
OpOperand *accessedBy(Operation *op) {
  if (auto read = dyn_cast<vector::TransferReadOp>(op))
    return isa<TensorType>(read.getBase().getType()) ? &read.getBaseMutable() : nullptr;
  if (auto write = dyn_cast<vector::TransferWriteOp>(op))
    return isa<TensorType>(write.getBase().getType()) ? &write.getBaseMutable() : nullptr;
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return &extract.getTensorMutable();
  return nullptr;
}

bool hasTensors(Operation *op) {
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  return llvm::any_of(op->getOperandTypes(), isTensor) || llvm::any_of(op->getResultTypes(), isTensor);
}

/// Returns whether `op` may be part of a run: whether it uses tensors only by accessing their elements. In nested
/// regions, only reads are allowed, since the result of a write would be a tensor.
bool belongs(Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>())
    return false;
  return !op->walk([&](Operation *inner) {
             bool may = !hasTensors(inner) || (accessedBy(inner) && (inner == op || inner->getNumResults() == 0 ||
                                                                     !isa<TensorType>(inner->getResult(0).getType())));
             return may ? WalkResult::advance() : WalkResult::interrupt();
           }).wasInterrupted();
}

bool hasAccesses(Operation *op) {
  return op->walk([](Operation *inner) {
             return accessedBy(inner) ? WalkResult::interrupt() : WalkResult::advance();
           }).wasInterrupted();
}

/// A run of consecutive operations, of which the first and the last access a tensor.
class Run {
public:
  /// Returns whether the operation may be added to the run: it must not access the old value of a tensor that the run
  /// has written.
  bool fits(Operation *op) const {
    return !op->walk([&](Operation *access) {
               OpOperand *operand = accessedBy(access);
               auto it = operand ? indices.find(operand->get()) : indices.end();
               bool old = it != indices.end() && tensors[it->second].after != operand->get();
               return old ? WalkResult::interrupt() : WalkResult::advance();
             }).wasInterrupted();
  }

  /// Appends `op`. An operation without accesses is not added at the start of a run.
  void add(Operation *op) {
    if (ops.empty() && !hasAccesses(op))
      return;
    ops.push_back(op);
    op->walk([&](Operation *access) {
      if (OpOperand *operand = accessedBy(access))
        addAccess(access, *operand, ops.size() - 1);
    });
  }

  /// Replaces the run by one heddle.accesses, if the run has more accesses than tensors and no operation outside of the
  /// run uses the value that a tensor has between two writes of the run.
  void replace();

private:
  /// Records an access to `operand` by the run's operation with index `number` or an operation inside of it.
  void addAccess(Operation *access, OpOperand &operand, int64_t number) {
    auto [it, isNew] = indices.try_emplace(operand.get(), tensors.size());
    if (isNew)
      tensors.push_back({operand.get(), operand.get()});
    unsigned index = it->second;
    Accessed &tensor = tensors[index];
    ++count;
    tensor.last = number;
    auto write = dyn_cast<vector::TransferWriteOp>(access);
    bufferization::BufferizationOptions options;
    bufferization::AnalysisState state(options);
    // A write also counts as a read of the elements that it does not overwrite.
    tensor.read |= cast<bufferization::BufferizableOpInterface>(access).bufferizesToMemoryRead(operand, state);
    if (!write)
      return;
    if (!tensor.written()) {
      tensor.firstWrite = number;
      tensor.overwritten = !tensor.read;
    }
    tensor.after = write.getResult();
    indices[tensor.after] = index;
  }

  SmallVector<Operation *> ops;
  SmallVector<Accessed> tensors;
  DenseMap<Value, unsigned> indices; // for each value of a tensor, the index of the tensor in `tensors`
  unsigned count = 0;                // the number of accesses in `ops`
};
} // namespace

/// Replaces an access to a tensor by an access to `buffer`. A write to a buffer has no result.
static void accessBuffer(Operation *access, OpOperand &operand, Value buffer) {
  OpBuilder b(access);
  Location loc = access->getLoc();
  if (isa<vector::TransferReadOp>(access)) {
    operand.set(buffer);
    return;
  }
  if (auto write = dyn_cast<vector::TransferWriteOp>(access)) {
    vector::TransferWriteOp::create(b, loc, write.getVector(), buffer, write.getIndices(),
                                    write.getPermutationMapAttr(), write.getMask(), write.getInBoundsAttr());
  } else {
    auto extract = cast<tensor::ExtractOp>(access);
    extract.replaceAllUsesWith(memref::LoadOp::create(b, loc, buffer, extract.getIndices()).getResult());
  }
  access->erase();
}

void Run::replace() {
  while (!ops.empty() && !hasAccesses(ops.back()))
    ops.pop_back();
  if (count <= tensors.size())
    return;
  llvm::DenseSet<Operation *> inside(ops.begin(), ops.end());
  Block *block = ops.front()->getBlock();
  auto isOutside = [&](OpOperand &use) {
    return !inside.contains(block->findAncestorOpInBlock(*use.getOwner()));
  };

  SmallVector<Value> inputs, outputs, escaping;
  SmallVector<int64_t> first, lastRead, last;
  SmallVector<bool> overwritten;
  SmallVector<Type> resultTypes;
  for (const Accessed &tensor : tensors) {
    if (!tensor.written()) {
      inputs.push_back(tensor.before);
      lastRead.push_back(tensor.last);
      continue;
    }
    outputs.push_back(tensor.before);
    first.push_back(tensor.firstWrite);
    last.push_back(tensor.last);
    overwritten.push_back(tensor.overwritten);
    resultTypes.push_back(tensor.after.getType());
  }
  for (Operation *op : ops)
    for (Value result : op->getResults()) {
      if (llvm::none_of(result.getUses(), isOutside))
        continue;
      auto it = indices.find(result);
      if (it == indices.end() && isa<TensorType>(result.getType()))
        return;
      if (it != indices.end()) {
        if (tensors[it->second].after != result)
          return;
        continue;
      }
      escaping.push_back(result);
      resultTypes.push_back(result.getType());
    }

  OpBuilder b(ops.front());
  Location loc = ops.front()->getLoc();
  auto op = AccessesOp::create(b, loc, resultTypes, inputs, outputs, first,
                               llvm::to_vector(llvm::concat<int64_t>(lastRead, last)), overwritten);
  Block &body = op.getBody().emplaceBlock();
  DenseMap<unsigned, Value> buffers;
  unsigned results = 0;
  for (bool written : {false, true})
    for (auto [index, tensor] : llvm::enumerate(tensors))
      if (tensor.written() == written) {
        auto type = cast<TensorType>(tensor.before.getType());
        buffers[index] = body.addArgument(bufferization::getMemRefTypeWithFullyDynamicLayout(type), loc);
        if (written)
          tensor.after.replaceUsesWithIf(op.getResult(results++), isOutside);
      }
  for (Value value : escaping)
    value.replaceUsesWithIf(op.getResult(results++), isOutside);
  for (Operation *moved : ops)
    moved->moveBefore(&body, body.end());
  b.setInsertionPointToEnd(&body);
  YieldOp::create(b, loc, escaping);

  SmallVector<std::pair<Operation *, Value>> accesses;
  body.walk([&](Operation *access) {
    if (OpOperand *operand = accessedBy(access))
      accesses.push_back({access, buffers[indices.find(operand->get())->second]});
  });
  // The order is reversed, because a write can be erased only after the accesses to its result.
  for (auto [access, buffer] : llvm::reverse(accesses))
    accessBuffer(access, *accessedBy(access), buffer);
}

namespace {
struct GroupAccesses : heddle::impl::GroupAccessesBase<GroupAccesses> {
  void runOnOperation() override {
    // Outer blocks come first, since a loop that only reads tensors can be part of a run.
    SmallVector<Block *> blocks;
    getOperation()->walk<WalkOrder::PreOrder>([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks) {
      Run run;
      for (Operation *op : llvm::to_vector(llvm::make_pointer_range(*block))) {
        bool runs = belongs(op);
        if (!runs || !run.fits(op)) {
          run.replace();
          run = Run();
        }
        if (runs)
          run.add(op);
      }
    }
  }
};
} // namespace
