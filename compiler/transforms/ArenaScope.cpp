//===- ArenaScope.cpp - offsets of one scope's buffers --------------------===//

#include "ArenaScope.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;
using namespace heddle;

void Timeline::number(Operation *op) {
  first[op] = clock++;
  for (Region &region : op->getRegions())
    for (Operation &nested : region.getOps())
      number(&nested);
  last[op] = clock++;
}

FailureOr<BufferBytes> heddle::bytesOf(Operation *op, MemRefType type, const Sizes &sizes, Value dynamic) {
  Type element = type.getElementType();
  int64_t width = element.isIndex()        ? 8
                  : element.isIntOrFloat() ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8)
                                           : 0;
  if (width == 0 || !type.getLayout().isIdentity())
    return op->emitError("cannot plan memory for a buffer of type ") << type;
  BufferBytes bytes{width, 1};
  int64_t maximum = width;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    int64_t extent = type.getDimSize(i);
    if (type.isDynamicDim(i)) {
      FailureOr<int64_t> bound = ValueBoundsConstraintSet::computeConstantBound(
          presburger::BoundType::UB, {dynamic, i}, /*stopCondition=*/nullptr, /*closedUB=*/true);
      if (failed(bound))
        return op->emitError("cannot plan memory: no upper bound is known for dimension ") << i;
      extent = *bound;
    }
    Extent product = sizes.of(extent);
    // The limit is the size of an address space, so that no sum of sizes overflows.
    constexpr int64_t limit = int64_t(1) << 47;
    if (llvm::MulOverflow(maximum, product.high(), maximum) || maximum > limit)
      return op->emitError("cannot plan memory for a buffer of type ") << type << ": it is too large";
    bytes.each *= product.factor();
    if (!product.isFixed() && llvm::MulOverflow(bytes.product, extent / product.factor(), bytes.product))
      return op->emitError("cannot plan memory for a buffer of type ")
             << type << ": the placeholder for the product of its sizes does not fit into 64 bits";
  }
  bytes.each = std::max<int64_t>(bytes.each, 1);
  return bytes;
}

LogicalResult ArenaScope::addAlloc(memref::AllocOp alloc, const Timeline &timeline, const Sizes &sizes, bool maximum) {
  FailureOr<BufferBytes> bytes = bytesOf(alloc, alloc.getType(), sizes, alloc.getResult());
  if (failed(bytes))
    return failure();
  int64_t last = timeline.last.lookup(alloc);
  SmallVector<Value> aliases(1, alloc.getResult());
  DenseSet<Value> seen;
  while (!aliases.empty()) {
    Value alias = aliases.pop_back_val();
    if (!seen.insert(alias).second)
      continue;
    for (Operation *user : alias.getUsers()) {
      Operation *ancestor = alias.getParentBlock()->findAncestorOpInBlock(*user);
      last = std::max(last, timeline.last.lookup(ancestor));
      if (isa<func::ReturnOp>(user))
        return alloc.emitError("a function cannot return a buffer that it allocates");
      bool yielded = user->hasTrait<OpTrait::IsTerminator>();
      Operation *parent = user->getParentOp();
      if (yielded && isa<LoopLikeOpInterface>(parent) && parent->isProperAncestor(alloc))
        return alloc.emitError("a buffer is used after the loop iteration that allocates it");
      for (Value result : yielded ? parent->getResults() : user->getResults())
        if (isa<BaseMemRefType>(result.getType()))
          aliases.push_back(result);
    }
  }
  allocs.push_back({alloc, add(maximum ? bytes->maximum(sizes) : *bytes, timeline.first.lookup(alloc), last)});
  return success();
}

ArenaScope::Place ArenaScope::add(BufferBytes bytes, int64_t first, int64_t last, int64_t lines) {
  Group &group = groups[bytes.product];
  group.buffers.push_back({bytes.each, first, last});
  group.lines.push_back(lines);
  return {bytes.product, group.buffers.size() - 1};
}

void ArenaScope::pack(int64_t alignment) {
  for (auto &[product, group] : groups) {
    // Offsets per unit of a product of sizes need no alignment here, because the emitted code multiplies them by the
    // product and rounds them up (emitBytes).
    group.size = packBuffers(group.buffers, product == 1 ? alignment : 1);
    SmallVector<size_t> order = llvm::to_vector(llvm::seq<size_t>(0, group.buffers.size()));
    llvm::sort(order, [&buffers = group.buffers](size_t a, size_t b) {
      return std::pair(buffers[a].offset, a) < std::pair(buffers[b].offset, b);
    });
    group.before.resize(order.size());
    for (size_t number : order) {
      group.before[number] = group.allLines;
      group.allLines += group.lines[number];
    }
  }
}

bool ArenaScope::isFixed() const {
  return llvm::all_of(groups, [](auto &entry) { return entry.first == 1; });
}

/// Returns the number of bytes `each` x `product`. If the product depends on sizes, adds `lines` cache lines. These
/// lines are needed because the offset of each buffer is rounded up, which moves the buffer by less than a cache line.
static ArenaBytes bytesAt(int64_t product, int64_t each, int64_t lines) {
  return product == 1 ? ArenaBytes{each, {}} : ArenaBytes{bufferAlignment * lines, {{each, product}}};
}

ArenaBytes ArenaScope::sizeOf(int64_t product) const {
  const Group &group = groups.find(product)->second;
  return bytesAt(product, group.size, group.allLines);
}

ArenaBytes ArenaScope::size() const {
  ArenaBytes total;
  for (const auto &[product, group] : groups)
    total += sizeOf(product);
  return total;
}

ArenaBytes ArenaScope::offsetInGroup(Place place) const {
  const Group &group = groups.find(place.product)->second;
  return bytesAt(place.product, group.buffers[place.number].offset, group.before[place.number]);
}

ArenaBytes ArenaScope::offsetOf(Place place) const {
  ArenaBytes offset;
  for (const auto &[product, group] : groups) {
    if (product == place.product)
      break;
    offset += sizeOf(product);
  }
  return offset += offsetInGroup(place);
}

Value heddle::emitBytes(OpBuilder &b, Location loc, const ArenaBytes &bytes, const Sizes &sizes) {
  Value sum = arith::ConstantIndexOp::create(b, loc, bytes.fixed);
  for (auto [each, product] : bytes.products) {
    if (each == 0)
      continue;
    Value units = cast<Value>(sizes.of(product).emit(b, loc));
    Value size = arith::MulIOp::create(b, loc, units, arith::ConstantIndexOp::create(b, loc, each));
    Value line = arith::ConstantIndexOp::create(b, loc, bufferAlignment);
    Value lines = arith::CeilDivUIOp::create(b, loc, size, line);
    sum = arith::AddIOp::create(b, loc, sum, arith::MulIOp::create(b, loc, lines, line));
  }
  return sum;
}
