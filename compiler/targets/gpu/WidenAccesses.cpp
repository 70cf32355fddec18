//===- WidenAccesses.cpp - buffers of vectors -----------------------------===//

#include "heddle/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <numeric>

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_WIDENACCESSES
#include "heddle/Passes.h.inc"
} // namespace heddle

static constexpr int64_t lanes = 4;

/// The largest number, of those that matter here, that the value is known to be a multiple of: 0 of 0.
static int64_t divisorOf(Value value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return std::abs(*constant);
  auto ofExpr = [](AffineMap map, ValueRange operands) {
    std::function<int64_t(AffineExpr)> of = [&](AffineExpr expr) -> int64_t {
      if (auto constant = dyn_cast<AffineConstantExpr>(expr))
        return std::abs(constant.getValue());
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        return divisorOf(operands[dim.getPosition()]);
      if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
        return divisorOf(operands[map.getNumDims() + symbol.getPosition()]);
      auto pair = cast<AffineBinaryOpExpr>(expr);
      int64_t left = of(pair.getLHS()), right = of(pair.getRHS());
      switch (pair.getKind()) {
      case AffineExprKind::Add:
      case AffineExprKind::Mod: // a remainder is a multiple of what both are multiples of
        return std::gcd(left, right);
      case AffineExprKind::Mul:
        return left * right;
      default:
        return 1;
      }
    };
    int64_t divisor = 0;
    for (AffineExpr result : map.getResults())
      divisor = std::gcd(divisor, of(result));
    return divisor;
  };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument == loop.getInductionVar()
               ? std::gcd(divisorOf(loop.getLowerBound()), divisorOf(loop.getStep()))
               : 1;
  }
  Operation *op = value.getDefiningOp();
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return ofExpr(apply.getAffineMap(), apply.getMapOperands());
  if (isa<affine::AffineMinOp, affine::AffineMaxOp>(op))
    return ofExpr(op->getAttrOfType<AffineMapAttr>("map").getValue(), op->getOperands());
  if (isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp>(op))
    return std::gcd(divisorOf(op->getOperand(0)), divisorOf(op->getOperand(1)));
  if (isa<arith::MulIOp>(op))
    return divisorOf(op->getOperand(0)) * divisorOf(op->getOperand(1));
  return 1;
}

/// An index as a value that is a multiple of `lanes`, or none, and a constant.
namespace {
struct LaneIndex {
  Value base;
  int64_t constant = 0;
};
} // namespace

static LaneIndex split(OpBuilder &b, Value index) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return {Value(), *constant};
  if (auto add = index.getDefiningOp<arith::AddIOp>())
    if (std::optional<int64_t> constant = getConstantIntValue(add.getRhs())) {
      LaneIndex inner = split(b, add.getLhs());
      return {inner.base, inner.constant + *constant};
    }
  auto apply = index.getDefiningOp<affine::AffineApplyOp>();
  if (!apply)
    return {index, 0};
  AffineMap map = apply.getAffineMap();
  auto sum = dyn_cast<AffineBinaryOpExpr>(map.getResult(0));
  auto constant = sum && sum.getKind() == AffineExprKind::Add ? dyn_cast<AffineConstantExpr>(sum.getRHS()) : nullptr;
  if (!constant)
    return {index, 0};
  AffineMap rest = AffineMap::get(map.getNumDims(), map.getNumSymbols(), sum.getLHS());
  return {affine::AffineApplyOp::create(b, index.getLoc(), rest, apply.getMapOperands()), constant.getValue()};
}

/// Which vector, and which element of it; nothing where the element is not known.
static std::optional<std::pair<Value, int64_t>> findVector(ImplicitLocOpBuilder &b, Value index) {
  auto [base, constant] = split(b, index);
  if ((base && divisorOf(base) % lanes != 0) || constant < 0)
    return std::nullopt;
  Value number = arith::ConstantIndexOp::create(b, constant / lanes);
  if (!base)
    return std::pair(number, constant % lanes);
  Value quotient;
  if (base.getDefiningOp<affine::AffineApplyOp>()) {
    AffineMap floor = AffineMap::get(1, 0, b.getAffineDimExpr(0).floorDiv(lanes));
    quotient = affine::makeComposedAffineApply(b, b.getLoc(), floor, {base});
  } else {
    quotient = arith::DivUIOp::create(b, base, arith::ConstantIndexOp::create(b, lanes));
  }
  return std::pair(Value(arith::AddIOp::create(b, quotient, number)), constant % lanes);
}

static bool isPlainTransfer(VectorTransferOpInterface transfer) {
  return transfer.getVectorType().getRank() == 1 && transfer.getVectorType().getNumElements() == lanes &&
         transfer.isDimInBounds(0) && !transfer.getMask() && transfer.getPermutationMap().isMinorIdentity();
}

namespace {

/// One buffer of a kernel.
class BufferAccesses {
public:
  explicit BufferAccesses(Value buffer) : buffer(buffer) {}

  /// Fails where something is done to it that is neither.
  LogicalResult find();
  bool hasVectors() const { return !reads.empty() || !writes.empty(); }
  /// Whether all vectors are at multiples of their length, and nothing else is stored.
  bool canBeWide();
  void widen();
  void cutVectors();

private:
  Value buffer;
  SmallVector<memref::LoadOp> loads;
  SmallVector<memref::StoreOp> stores;
  SmallVector<vector::TransferReadOp> reads;
  SmallVector<vector::TransferWriteOp> writes;
};

} // namespace

LogicalResult BufferAccesses::find() {
  bool hasOthers = false;
  for (OpOperand &use : buffer.getUses()) {
    Operation *user = use.getOwner();
    if (auto load = dyn_cast<memref::LoadOp>(user))
      loads.push_back(load);
    else if (auto store = dyn_cast<memref::StoreOp>(user))
      stores.push_back(store);
    else if (auto read = dyn_cast<vector::TransferReadOp>(user))
      reads.push_back(read);
    else if (auto write = dyn_cast<vector::TransferWriteOp>(user))
      writes.push_back(write);
    else
      hasOthers = true;
  }
  auto isOther = [](VectorTransferOpInterface transfer) { return !isPlainTransfer(transfer); };
  for (auto read : reads)
    if (isOther(read))
      return read.emitError("is no vector of four elements beside each other");
  for (auto write : writes)
    if (isOther(write))
      return write.emitError("is no vector of four elements beside each other");
  if (hasOthers && hasVectors())
    return emitError(buffer.getLoc()) << "a buffer is accessed by vectors, and in part by what has another shape";
  return success();
}

bool BufferAccesses::canBeWide() {
  auto type = cast<MemRefType>(buffer.getType());
  if (!stores.empty() || type.getRank() == 0 || type.isDynamicDim(type.getRank() - 1) ||
      type.getShape().back() % lanes != 0 || !type.getLayout().isIdentity() || type.getElementTypeBitWidth() != 32)
    return false;
  auto isWhole = [](auto transfer) {
    return divisorOf(cast<VectorTransferOpInterface>(*transfer).getIndices().back()) % lanes == 0;
  };
  return llvm::all_of(reads, isWhole) && llvm::all_of(writes, isWhole);
}

/// The buffer gets its new type; whoever made it sees to the rest.
void BufferAccesses::widen() {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.back() /= lanes;
  auto vector = VectorType::get({lanes}, type.getElementType());
  buffer.setType(MemRefType::get(shape, vector, MemRefLayoutAttrInterface(), type.getMemorySpace()));
  auto indicesOf = [&](ImplicitLocOpBuilder &b, ValueRange indices, Value last) {
    SmallVector<Value> at(indices);
    at.back() = last;
    return at;
  };
  for (vector::TransferReadOp read : reads) {
    ImplicitLocOpBuilder b(read.getLoc(), read);
    Value last = findVector(b, read.getIndices().back())->first;
    read.replaceAllUsesWith(memref::LoadOp::create(b, buffer, indicesOf(b, read.getIndices(), last)).getResult());
    read.erase();
  }
  for (vector::TransferWriteOp write : writes) {
    ImplicitLocOpBuilder b(write.getLoc(), write);
    Value last = findVector(b, write.getIndices().back())->first;
    memref::StoreOp::create(b, write.getVector(), buffer, indicesOf(b, write.getIndices(), last));
    write.erase();
  }
  for (memref::LoadOp load : loads) {
    ImplicitLocOpBuilder b(load.getLoc(), load);
    Value index = load.getIndices().back(), element;
    if (auto found = findVector(b, index)) {
      Value all = memref::LoadOp::create(b, buffer, indicesOf(b, load.getIndices(), found->first));
      element = vector::ExtractOp::create(b, all, found->second);
    } else {
      Value length = arith::ConstantIndexOp::create(b, lanes);
      Value all = memref::LoadOp::create(
          b, buffer, indicesOf(b, load.getIndices(), arith::DivUIOp::create(b, index, length)));
      element = vector::ExtractOp::create(b, all, OpFoldResult(Value(arith::RemUIOp::create(b, index, length))));
    }
    load.replaceAllUsesWith(element);
    load.erase();
  }
}

/// Vectors as the scalars that they are made of.
void BufferAccesses::cutVectors() {
  auto elementAt = [&](ImplicitLocOpBuilder &b, ValueRange indices, int64_t lane) {
    SmallVector<Value> at(indices);
    at.back() = b.createOrFold<arith::AddIOp>(at.back(), arith::ConstantIndexOp::create(b, lane));
    return at;
  };
  for (vector::TransferReadOp read : reads) {
    ImplicitLocOpBuilder b(read.getLoc(), read);
    SmallVector<Value> elements;
    for (int64_t lane = 0; lane < lanes; ++lane)
      elements.push_back(memref::LoadOp::create(b, buffer, elementAt(b, read.getIndices(), lane)));
    read.replaceAllUsesWith(vector::FromElementsOp::create(b, read.getVectorType(), elements).getResult());
    read.erase();
  }
  for (vector::TransferWriteOp write : writes) {
    ImplicitLocOpBuilder b(write.getLoc(), write);
    for (int64_t lane = 0; lane < lanes; ++lane)
      memref::StoreOp::create(b, vector::ExtractOp::create(b, write.getVector(), lane), buffer,
                              elementAt(b, write.getIndices(), lane));
    write.erase();
  }
}

/// Launches pass what the kernel's arguments have become.
static void castOperands(gpu::LaunchFuncOp launch, gpu::GPUFuncOp kernel) {
  OpBuilder b(launch);
  for (auto [operand, argument] : llvm::zip(launch.getKernelOperandsMutable(), kernel.getArguments()))
    if (operand.get().getType() != argument.getType())
      operand.set(UnrealizedConversionCastOp::create(b, launch.getLoc(), argument.getType(), operand.get()).getResult(0));
}

namespace {
struct WidenAccesses : heddle::impl::WidenAccessesBase<WidenAccesses> {
  void runOnOperation() override {
    SmallVector<gpu::GPUFuncOp> kernels;
    getOperation().walk([&](gpu::GPUFuncOp kernel) { kernels.push_back(kernel); });
    for (gpu::GPUFuncOp kernel : kernels) {
      SmallVector<Value> buffers;
      for (BlockArgument argument : kernel.getArguments())
        if (isa<MemRefType>(argument.getType()))
          buffers.push_back(argument);
      kernel.walk([&](Operation *op) {
        if (isa<memref::AllocOp, memref::AllocaOp>(op))
          buffers.push_back(op->getResult(0));
      });
      for (Value buffer : buffers) {
        BufferAccesses accesses(buffer);
        if (failed(accesses.find()))
          return signalPassFailure();
        if (!accesses.hasVectors())
          continue;
        if (accesses.canBeWide())
          accesses.widen();
        else
          accesses.cutVectors();
      }
      SmallVector<Type> types = llvm::to_vector(kernel.getArgumentTypes());
      for (auto [type, argument] : llvm::zip(types, kernel.getArguments()))
        type = argument.getType();
      kernel.setFunctionType(FunctionType::get(&getContext(), types, {}));
    }
    SymbolTableCollection symbols;
    getOperation().walk([&](gpu::LaunchFuncOp launch) {
      castOperands(launch, symbols.lookupNearestSymbolFrom<gpu::GPUFuncOp>(launch, launch.getKernelAttr()));
    });
  }
};
} // namespace
