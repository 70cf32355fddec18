//===- TilesToLanes.cpp - the code of lanes for tiles ---------------------===//
//
// Until this pass, operations on tiles are collective: a workgroup executes
// each of them, and no thread, warp or barrier occurs. This pass distributes
// them over the lanes of warps, as the places of the tiles state, and emits
// barriers between accesses to workgroup memory.
//
//===----------------------------------------------------------------------===//

#include "LaneCode.h"
#include "TilePlaces.h"

#include "heddle/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace heddle;

namespace heddle {
#define GEN_PASS_DEF_TILESTOLANES
#include "heddle/Passes.h.inc"
} // namespace heddle

LaneCode::LaneCode(gpu::GPUFuncOp kernel, int64_t threads)
    : kernel(kernel), b(kernel.getLoc(), OpBuilder::atBlockBegin(&kernel.getBody().front())), threads(threads) {
  thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
}

Value LaneCode::constant(int64_t value) { return arith::ConstantIndexOp::create(b, value); }

/// Emits accesses to an element of a tile in registers.
Value LaneCode::load(Value registers, int64_t element) {
  return memref::LoadOp::create(b, registers, constant(element));
}
void LaneCode::store(Value value, Value registers, int64_t element) {
  memref::StoreOp::create(b, value, registers, constant(element));
}

Value LaneCode::emitLess(Value index, Value end) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, index, end);
}

/// Emits an scf.if and returns its result: the value that `then` emits, or zero. If `type` is null, `then` emits code
/// without a result. If `condition` is null, emits only the code of `then`.
Value LaneCode::emitIf(Value condition, Type type, function_ref<Value()> then) {
  if (!condition)
    return then();
  auto choice = scf::IfOp::create(b, type ? TypeRange(type) : TypeRange(), condition, /*withElseRegion=*/bool(type));
  OpBuilder::InsertionGuard guard(b);
  if (!type) {
    b.setInsertionPoint(choice.thenYield());
    then();
    return {};
  }
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, Value(arith::ConstantOp::create(b, b.getZeroAttr(type))));
  b.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(b, then());
  return choice.getResult(0);
}

/// Emits a barrier unless the accesses to workgroup memory before the insertion point cannot conflict with the reads,
/// or the writes, that follow.
void LaneCode::beforeReads() {
  if (hasWrites) {
    gpu::BarrierOp::create(b);
    hasReads = hasWrites = false;
  }
  hasReads = true;
}
void LaneCode::beforeWrites() {
  if (hasReads) {
    gpu::BarrierOp::create(b);
    hasReads = hasWrites = false;
  }
  hasWrites = true;
}

/// Returns the tile in registers of which `value` is a part. Emits an error and fails if there is none, or if the part
/// does not begin at the tile's first element.
FailureOr<LaneCode::Fragment> LaneCode::findFragment(Operation *op, Value value) {
  Fragment fragment;
  auto type = cast<MemRefType>(value.getType());
  SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(b.getContext(), type.getShape());
  for (Operation *view = value.getDefiningOp(); view; view = value.getDefiningOp()) {
    if (auto cast = dyn_cast<memref::CastOp>(view)) {
      value = cast.getSource();
      continue;
    }
    auto part = dyn_cast<memref::SubViewOp>(view);
    if (!part)
      break;
    bool isCorner = part.hasUnitStride() && part.getSourceType().getRank() == part.getType().getRank() &&
                    llvm::all_of(part.getMixedOffsets(), [](OpFoldResult at) { return isZeroInteger(at); });
    if (!isCorner)
      return op->emitError("uses a part of a tile in registers that does not begin at its first element");
    for (auto [size, mixed] : llvm::zip(sizes, part.getMixedSizes()))
      if (isa<Value>(mixed) || isa<Attribute>(size))
        size = mixed;
    value = part.getSource();
  }
  fragment.registers = registers.lookup(value);
  if (!fragment.registers)
    return op->emitError("uses a tile in registers that the kernel does not allocate");
  FailureOr<FragmentLayout> layout = FragmentLayout::of(op, cast<MemRefType>(value.getType()));
  if (failed(layout))
    return failure();
  fragment.layout = *layout;
  fragment.rows = sizes[0];
  fragment.columns = sizes[1];
  return fragment;
}

/// Returns whether the value is a tile in workgroup memory, not a view of one.
bool LaneCode::isWorkgroupTile(Value value) { return llvm::is_contained(shared, value.getDefiningOp()); }

/// Replaces a tile in registers by a private buffer. Tiles in workgroup memory keep their place until no code queries
/// it any more.
LogicalResult LaneCode::allocate(memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  Attribute place = placeOf(alloc);
  if (isa_and_nonnull<FragmentsAttr>(place)) {
    FailureOr<FragmentLayout> layout = FragmentLayout::of(alloc, type);
    if (failed(layout))
      return failure();
    registers[alloc] = memref::AllocaOp::create(b, MemRefType::get({layout->getCount()}, type.getElementType()));
    replaced.push_back(alloc);
  } else if (place) {
    shared.push_back(alloc);
  }
  return success();
}

LogicalResult LaneCode::fill(linalg::FillOp op) {
  FailureOr<Fragment> target = findFragment(op, op.getOutputs()[0]);
  if (failed(target))
    return failure();
  for (int64_t element = 0; element < target->layout.getCount(); ++element)
    store(op.getInputs()[0], target->registers, element);
  return success();
}

LogicalResult LaneCode::convert(Operation *op) {
  b.setInsertionPoint(op);
  b.setLoc(op->getLoc());
  if (auto alloc = dyn_cast<memref::AllocOp>(op))
    return allocate(alloc);
  LogicalResult converted = failure();
  if (auto copied = dyn_cast<TileCopyOp>(op))
    converted = copy(copied);
  else if (!isOnTiles(op))
    return success();
  else if (isa<memref::SubViewOp, memref::CastOp>(op) && isa<FragmentsAttr>(placeOf(op->getResult(0))))
    converted = success(); // findFragment looks through views
  else if (auto filled = dyn_cast<linalg::FillOp>(op))
    converted = fill(filled);
  else if (auto matmul = dyn_cast<linalg::MatmulOp>(op))
    converted = product(matmul);
  else if (auto elementwise = dyn_cast<linalg::GenericOp>(op))
    converted = generic(elementwise);
  else
    return op->emitError("is an operation on tiles that lanes have no code for");
  replaced.push_back(op);
  return converted;
}

LogicalResult LaneCode::convertBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (failed(convert(&op)))
      return failure();
    if (isa<linalg::LinalgOp>(op))
      continue;
    for (Region &region : op.getRegions())
      for (Block &inside : region) {
        // The region may have run before, or not at all.
        bool accesses = op.walk([](Operation *on) {
                            return isOnTiles(on) ? WalkResult::interrupt() : WalkResult::advance();
                          }).wasInterrupted();
        hasReads |= accesses;
        hasWrites |= accesses;
        if (failed(convertBlock(inside)))
          return failure();
        hasReads |= accesses;
        hasWrites |= accesses;
      }
  }
  return success();
}

LogicalResult LaneCode::run() {
  Block &body = kernel.getBody().front();
  if (failed(convertBlock(body)))
    return failure();
  for (Operation *op : llvm::reverse(replaced))
    op->erase();
  auto memory = gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  for (memref::AllocOp alloc : shared) {
    MemRefType type = alloc.getType();
    alloc.getResult().setType(MemRefType::get(type.getShape(), type.getElementType(), type.getLayout(), memory));
  }
  return success();
}

/// The registers of a multiprocessor.
static constexpr int64_t registersOfProcessor = 65536;

/// Returns how many workgroups a multiprocessor should be able to run at once. ptxas limits the registers of a thread
/// accordingly: to 128 if the kernel's lanes have at most 64 elements of tiles in registers, and else to 255.
static int64_t countWorkgroups(gpu::GPUFuncOp kernel, int64_t threads) {
  int64_t elements = 0;
  kernel.walk([&](memref::AllocOp alloc) {
    if (isa_and_nonnull<FragmentsAttr>(placeOf(alloc)))
      elements += alloc.getType().getNumElements() / threads;
  });
  return std::max<int64_t>(1, registersOfProcessor / threads / (elements <= 64 ? 128 : 256));
}

namespace {
struct TilesToLanes : heddle::impl::TilesToLanesBase<TilesToLanes> {
  void runOnOperation() override {
    SmallVector<gpu::GPUFuncOp> kernels;
    getOperation()->walk([&](gpu::GPUFuncOp kernel) { kernels.push_back(kernel); });
    for (gpu::GPUFuncOp kernel : kernels) {
      FailureOr<int64_t> threads = countTileThreads(kernel);
      if (failed(threads))
        return signalPassFailure();
      if (*threads == 0)
        continue;
      kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                      OpBuilder(kernel).getI32IntegerAttr(countWorkgroups(kernel, *threads)));
      if (failed(LaneCode(kernel, *threads).run()))
        return signalPassFailure();
    }
  }
};
} // namespace
