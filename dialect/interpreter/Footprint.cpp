//===- Footprint.cpp - memory use of the interpreter ----------------------===//
//
// Simulates the interpreter (class Evaluator) on the operations of a function: which values the interpreter stores,
// which it updates in place, and which it frees after their last use. Values in the bodies of operations are scalars,
// whose memory is ignored. A model that would need too much memory is refused before the interpreter runs.
//
//===----------------------------------------------------------------------===//

#include "interpreter/Footprint.h"

#include "Heddle.h"
#include "interpreter/Tensor.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace heddle;

static uint64_t sum(uint64_t a, uint64_t b) { return llvm::SaturatingAdd(a, b); }

/// Returns the number of bytes of a value of this type, with `width` bytes for each element.
static uint64_t bytesOf(Type type, int64_t width) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasStaticShape())
    return 0;
  auto bytes = uint64_t(width);
  for (int64_t extent : shaped.getShape())
    bytes = llvm::SaturatingMultiply(bytes, uint64_t(extent));
  return bytes;
}

static uint64_t interpretedBytes(Type type) { return bytesOf(type, sizeof(double)); }

uint64_t heddle::interpretedBytes(TypeRange types) {
  return std::accumulate(types.begin(), types.end(), uint64_t(0),
                         [](uint64_t bytes, Type type) { return sum(bytes, ::interpretedBytes(type)); });
}

uint64_t heddle::storedBytes(TypeRange types) {
  return std::accumulate(types.begin(), types.end(), uint64_t(0), [](uint64_t bytes, Type type) {
    return sum(bytes, bytesOf(type, Tensor::byteWidth(getElementTypeOrSelf(type))));
  });
}

/// Whether the result of the op has the elements of its operand in another shape, so both share their memory.
static bool isView(Operation *op) { return isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(op); }

/// Returns the number of bytes of the temporary copies that the evaluation of an operation makes.
static uint64_t copiedBytes(Operation *op) {
  uint64_t operands = interpretedBytes(op->getOperandTypes()), results = interpretedBytes(op->getResultTypes());
  return TypeSwitch<Operation *, uint64_t>(op)
      .Case([&](WeightOp) { return results; })
      .Case([&](FfnOp ffn) { // copies of the operands and results, and at most two tensors [rows, hidden]: up and gate
        auto input = cast<ShapedType>(ffn.getInput().getType()), down = cast<ShapedType>(ffn.getDown().getType());
        int64_t hidden = down.getDimSize(down.getRank() - 2);
        uint64_t rows = ::interpretedBytes(Type(input)) / std::max<int64_t>(input.getShape().back(), 1);
        return sum(sum(operands, results), llvm::SaturatingMultiply(2 * rows, uint64_t(std::max<int64_t>(hidden, 0))));
      })
      .Case([&](LinearOp linear) { // copies of the operands and results, and of the rows if they are rounded
        uint64_t rows = linear.getRounding() ? ::interpretedBytes(linear.getInput().getType()) : 0;
        return sum(sum(operands, results), rows);
      })
      .Case([&](linalg::LinalgOp linalgOp) -> uint64_t {
        // A contraction copies the matrices of one batch entry at a time.
        FailureOr<linalg::ContractionDimensions> dims = linalg::inferContractionDims(linalgOp);
        if (failed(dims))
          return 0;
        SmallVector<int64_t> loops = linalgOp.getStaticLoopRanges();
        uint64_t batches = 1;
        for (unsigned dim : dims->batch)
          batches = llvm::SaturatingMultiply(batches, uint64_t(std::max<int64_t>(loops[dim], 1)));
        return operands / batches;
      })
      .Default([&](Operation *other) -> uint64_t {
        if (isa<HeddleDialect>(other->getDialect()))
          return sum(operands, results);
        // A slice or padding stores the offset of each element. Other tensor ops are counted in the same way.
        bool picks = isa<tensor::TensorDialect>(other->getDialect()) && !isa<tensor::EmptyOp>(other) && !isView(other);
        return picks ? results : 0;
      });
}

namespace {
/// The memory of one value, or of several values that share their elements.
struct Memory {
  uint64_t bytes;
  unsigned users; // the number of values that share the memory
};

/// Adds up the sizes, in bytes, of the values that the evaluator stores after each operation.
struct Footprint {
  DenseMap<Value, std::shared_ptr<Memory>> held;     // the values that are stored, with their memory
  DenseMap<Value, unsigned> usesLeft;                // the number of later uses of each stored value
  DenseSet<std::pair<Attribute, Type>> weights;      // the weights that have been read; each is stored once
  uint64_t now = 0, peak = 0;                        // the current and the largest number of bytes

  /// Stores a value in this memory.
  void hold(Value value, std::shared_ptr<Memory> buffer) {
    ++buffer->users;
    held[value] = std::move(buffer);
    usesLeft[value] = unsigned(std::distance(value.use_begin(), value.use_end()));
  }
  /// Frees a value, and its memory if no other value shares it.
  void release(Value value) {
    auto it = held.find(value);
    if (it == held.end())
      return;
    if (--it->second->users == 0)
      now -= std::min(now, it->second->bytes);
    held.erase(it);
  }
  std::shared_ptr<Memory> allocate(uint64_t bytes) {
    now = sum(now, bytes);
    return std::make_shared<Memory>(Memory{bytes, 0});
  }

  /// Returns the memory of an operand that the result reuses; null if the result needs new memory. `lastUsed` are the
  /// operands without later uses, which the operation may update in place.
  std::shared_ptr<Memory> reused(Operation *op, OpResult result, ArrayRef<Value> lastUsed) {
    if (isView(op))
      return held.lookup(op->getOperand(0));
    auto destination = dyn_cast<DestinationStyleOpInterface>(op);
    Value init = destination ? destination.getTiedOpOperand(result)->get() : Value();
    std::shared_ptr<Memory> buffer = init ? held.lookup(init) : nullptr;
    return buffer && buffer->users == 1 && llvm::is_contained(lastUsed, init) ? buffer : nullptr;
  }

  /// Simulates one operation: adds its results and temporary copies, and frees operands without later uses.
  void run(Operation &op) {
    SmallVector<Value> lastUsed; // operands without later uses; a value that a region uses is never freed
    for (Value operand : op.getOperands())
      if (auto it = usesLeft.find(operand); it != usesLeft.end() && --it->second == 0)
        lastUsed.push_back(operand);
    uint64_t inside = copiedBytes(&op);
    if (auto call = dyn_cast<func::CallOp>(op))
      if (auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr()))
        inside = sum(inside, peakBytes(callee));
    bool known = isa<WeightOp>(op) && !weights.insert({op.getAttrDictionary(), op.getResult(0).getType()}).second;
    for (OpResult result : op.getResults()) {
      std::shared_ptr<Memory> buffer = reused(&op, result, lastUsed);
      if (!buffer)
        buffer = allocate(known ? 0 : ::interpretedBytes(result.getType()));
      if (isa<WeightOp>(op))
        ++buffer->users; // the interpreter stores the weight for later reads
      hold(result, buffer);
    }
    peak = std::max(peak, sum(now, inside));
    for (Value value : lastUsed)
      release(value);
    for (OpResult result : op.getResults())
      if (result.use_empty())
        release(result);
  }
};
} // namespace

uint64_t heddle::peakBytes(func::FuncOp function) {
  Footprint footprint;
  if (function.isExternal())
    return 0;
  for (Operation &op : function.front().without_terminator())
    footprint.run(op);
  return footprint.peak;
}
