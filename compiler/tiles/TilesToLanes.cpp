//===- TilesToLanes.cpp - the code of lanes for tiles ---------------------===//
//
// Before this pass, operations on tiles are collective: a workgroup executes
// each of them, and the code contains no threads, warps or barriers. This pass
// distributes the operations over the lanes of warps, as the places of the
// tiles state. It emits barriers between accesses to workgroup memory or to
// global memory if these accesses may conflict.
//
//===----------------------------------------------------------------------===//

#include "LaneCode.h"
#include "TilePlaces.h"

#include "kinds/FragmentCode.h"

#include "heddle/Passes.h"

#include "Notes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace heddle;

namespace heddle {
#define GEN_PASS_DEF_TILESTOLANES
#include "heddle/Passes.h.inc"
} // namespace heddle

LaneCode::LaneCode(gpu::GPUFuncOp kernel, const LaneFacts &facts)
    : kernel(kernel), b(kernel.getLoc(), OpBuilder::atBlockBegin(&kernel.getBody().front())), facts(facts),
      barriers(kernel, b) {
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

/// Emits the code of `then` under a condition, which is null if the code always runs. `then` may replace the values in
/// `carried`. If the condition is false at run time, the values are those from before the code.
void LaneCode::emitGuarded(Value condition, MutableArrayRef<SmallVector<Value>> carried, function_ref<void()> then) {
  if (!condition)
    return then();
  SmallVector<Value> before;
  for (ArrayRef<Value> values : carried)
    llvm::append_range(before, values);
  auto choice = scf::IfOp::create(b, ValueRange(before).getTypes(), condition, /*withElseRegion=*/!before.empty());
  OpBuilder::InsertionGuard guard(b);
  if (before.empty()) {
    b.setInsertionPoint(choice.thenYield());
    return then();
  }
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, before);
  b.setInsertionPointToStart(choice.thenBlock());
  then();
  SmallVector<Value> after;
  for (ArrayRef<Value> values : carried)
    llvm::append_range(after, values);
  scf::YieldOp::create(b, after);
  auto result = choice.result_begin();
  for (MutableArrayRef<Value> values : carried)
    for (Value &value : values)
      value = *result++;
}

Value LaneCode::emitPrivate(int64_t count, Type element) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&kernel.getBody().front());
  return memref::AllocaOp::create(b, MemRefType::get({count}, element));
}

/// Emits a wait for the lane's own async copies, and a barrier, after which all lanes have waited.
void LaneCode::wait(TileWaitOp op) {
  NVVM::CpAsyncWaitGroupOp::create(b, int32_t(op.getPending()));
  barriers.emit();
}

/// Returns the tile in registers of which `value` is a part. Emits an error and fails if there is none, or if the part
/// does not begin at the tile's first element.
FailureOr<LaneCode::Fragment> LaneCode::findFragment(Operation *op, Value value) {
  SmallVector<OpFoldResult> sizes; // those of the view next to the operation
  while (Operation *view = value.getDefiningOp()) {
    if (auto retyped = dyn_cast<memref::CastOp>(view)) {
      value = retyped.getSource();
      continue;
    }
    auto part = dyn_cast<memref::SubViewOp>(view);
    if (!part)
      break;
    bool isCorner = part.hasUnitStride() && part.getSourceType().getRank() == part.getType().getRank() &&
                    llvm::all_of(part.getMixedOffsets(), [](OpFoldResult at) { return isZeroInteger(at); });
    if (!isCorner)
      return op->emitError("uses a part of a tile in registers that does not begin at its first element");
    if (sizes.empty())
      sizes = part.getMixedSizes();
    value = part.getSource();
  }
  Value own = registers.lookup(value);
  if (!own)
    return op->emitError("expects a tile in registers that the kernel allocates, found ") << value.getType();
  auto type = cast<MemRefType>(value.getType());
  FailureOr<FragmentLayout> layout = FragmentLayout::of(op, type);
  if (failed(layout))
    return failure();
  if (sizes.empty())
    sizes = getAsIndexOpFoldResult(b.getContext(), type.getShape());
  return Fragment{*layout, own, sizes[0], sizes.size() > 1 ? sizes[1] : OpFoldResult(b.getIndexAttr(1))};
}

/// If the value is a tile in workgroup memory, possibly after casts, returns the tile: a whole buffer, or, if the
/// buffer has stages, the part for one stage. Otherwise returns null.
Value LaneCode::findWorkgroupTile(Value value) {
  while (auto cast = value.getDefiningOp<memref::CastOp>())
    value = cast.getSource();
  if (llvm::is_contained(shared, value.getDefiningOp()))
    return value;
  auto stage = value.getDefiningOp<memref::SubViewOp>();
  if (!stage || !llvm::is_contained(shared, stage.getSource().getDefiningOp()))
    return {};
  SmallVector<OpFoldResult> offsets = stage.getMixedOffsets();
  bool isWhole = stage.hasUnitStride() && stage.getType().getShape() == stage.getSourceType().getShape().drop_front() &&
                 llvm::all_of(llvm::drop_begin(offsets), [](OpFoldResult at) { return isZeroInteger(at); });
  return isWhole ? value : Value();
}

/// Returns the number `rowsApart` (see emitTileIndices) that suits the products that read the buffer or a view of it; 0
/// if no product reads it.
static int64_t findRowsApartOfReads(Value buffer) {
  int64_t rowsApart = 0;
  for (OpOperand &use : buffer.getUses()) {
    Operation *user = use.getOwner();
    if (isa<ViewLikeOpInterface>(user))
      rowsApart = std::max(rowsApart, findRowsApartOfReads(user->getResult(0)));
    auto matmul = dyn_cast<linalg::MatmulOp>(user);
    auto sums = matmul ? dyn_cast_or_null<FragmentsAttr>(placeOf(matmul.getOutputs()[0])) : FragmentsAttr();
    if (auto code = sums ? dyn_cast<FragmentCode>(sums.getKind()) : FragmentCode())
      rowsApart = std::max(rowsApart, code.getRowsApart(use.getOperandNumber() == 1 &&
                                                        linalg::MatmulTransposeBOp::classof(matmul)));
  }
  return rowsApart;
}

int64_t heddle::findRowsApart(Value tile) {
  while (auto view = tile.getDefiningOp<ViewLikeOpInterface>())
    tile = view.getViewSource();
  return findRowsApartOfReads(tile);
}

/// Replaces a tile in registers by a private buffer. A tile in workgroup memory keeps its memory space until `run` has
/// converted all operations, because these conversions query the space.
LogicalResult LaneCode::allocate(memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  Attribute place = placeOf(alloc);
  if (isa_and_nonnull<FragmentsAttr>(place)) {
    FailureOr<FragmentLayout> layout = FragmentLayout::of(alloc, type);
    if (failed(layout))
      return failure();
    registers[alloc] = memref::AllocaOp::create(b, MemRefType::get({layout->getCount()}, type.getElementType()));
    elementRegisters += layout->getCount() * llvm::divideCeil(type.getElementTypeBitWidth(), 32);
    replaced.push_back(alloc);
  } else if (place) {
    if (!type.hasStaticShape() || !type.getLayout().isIdentity())
      return alloc.emitError("expects a tile of static size without a layout, found ") << type;
    shared.push_back(alloc);
  }
  return success();
}

LogicalResult LaneCode::fill(linalg::FillOp op) {
  FailureOr<Fragment> target = findFragment(op, op.getOutputs()[0]);
  if (failed(target))
    return failure();
  if (!target->isWhole())
    return op.emitError("fills a part of a tile in registers, for which lanes have no code");
  for (int64_t element = 0; element < target->layout.getCount(); ++element)
    store(op.getInputs()[0], target->registers, element);
  return success();
}

LogicalResult LaneCode::convert(Operation *op) {
  b.setInsertionPoint(op);
  b.setLoc(op->getLoc());
  if (auto alloc = dyn_cast<memref::AllocOp>(op))
    return allocate(alloc);
  LogicalResult converted = success();
  bool isView = isa<memref::SubViewOp, memref::CastOp>(op);
  if (auto copied = dyn_cast<TileCopyOp>(op)) {
    converted = copy(copied);
  } else if (isa<TileCommitOp>(op)) {
    NVVM::CpAsyncCommitGroupOp::create(b);
  } else if (auto waits = dyn_cast<TileWaitOp>(op)) {
    wait(waits);
  } else if (!isOnTiles(op)) {
    SharedAccesses accesses;
    accesses.addGlobal(op);
    barriers.beforeGlobal(accesses.readGlobal, accesses.writtenGlobal);
    return success();
  } else if (isView && findWorkgroupTile(op->getResult(0))) {
    return success();
  } else if (auto filled = dyn_cast<linalg::FillOp>(op)) {
    converted = fill(filled);
  } else if (auto matmul = dyn_cast<linalg::MatmulOp>(op)) {
    converted = product(matmul);
  } else if (auto elementwise = dyn_cast<linalg::GenericOp>(op)) {
    converted = generic(elementwise);
  } else if (!isView || !isa_and_nonnull<FragmentsAttr>(placeOf(op->getResult(0)))) { // findFragment reads these views
    return op->emitError("is an operation on tiles that lanes have no code for");
  }
  replaced.push_back(op);
  return converted;
}

/// Converts the operations in the regions of `op`. Afterwards, `barriers` has the accesses of all paths through them.
LogicalResult LaneCode::convertRegions(Operation &op) {
  SharedAccesses before = barriers.since, after = before; // it is possible that no region runs
  SharedAccesses earlier;                                 // a region of a loop may have run before
  if (!isa<scf::IfOp>(op))
    earlier = SharedAccesses::of(&op);
  for (Region &region : op.getRegions())
    for (Block &inside : region) {
      barriers.since = before;
      barriers.since.add(earlier);
      if (failed(convertBlock(inside)))
        return failure();
      after.add(barriers.since);
    }
  barriers.since = after;
  return success();
}

LogicalResult LaneCode::convertBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block))
    if (failed(convert(&op)) || (!isa<linalg::LinalgOp>(op) && failed(convertRegions(op))))
      return failure();
  storeLoaded(block);
  return success();
}

/// Puts a buffer and its views into the memory space `memory`.
static void setMemory(Value buffer, Attribute memory) {
  auto type = cast<MemRefType>(buffer.getType());
  buffer.setType(MemRefType::get(type.getShape(), type.getElementType(), type.getLayout(), memory));
  for (Operation *user : buffer.getUsers())
    if (isa<memref::SubViewOp, memref::CastOp, memref::ReinterpretCastOp>(user))
      setMemory(user->getResult(0), memory);
}

LogicalResult LaneCode::run() {
  Block &body = kernel.getBody().front();
  if (failed(convertBlock(body)))
    return failure();
  for (Operation *op : llvm::reverse(replaced))
    op->erase();
  auto memory = gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  for (memref::AllocOp alloc : shared)
    setMemory(alloc, memory);
  return success();
}

/// A lane that copies element by element needs registers for the addresses and conditions of these elements. Such a
/// lane, and a lane whose elements take more than 64 registers, gets 256. Any other lane needs at most 128, or a few
/// more if copies hold registers while it multiplies. Workgroups of 256 threads get 128 even then, since only then can
/// a multiprocessor with 65536 registers run two of them. Smaller workgroups divide the registers of a multiprocessor
/// more evenly, so their threads get 160.
int64_t LaneCode::countRegisters() const {
  if (elementRegisters > 64 || isCopiedByElement)
    return 256;
  return facts.threads < 256 && copyHoldsRegisters ? 160 : 128;
}

namespace {
struct TilesToLanes : heddle::impl::TilesToLanesBase<TilesToLanes> {
  using TilesToLanesBase::TilesToLanesBase;
  LogicalResult convert(gpu::GPUFuncOp kernel);
  void runOnOperation() override {
    SmallVector<gpu::GPUFuncOp> kernels;
    getOperation()->walk([&](gpu::GPUFuncOp kernel) { kernels.push_back(kernel); });
    for (gpu::GPUFuncOp kernel : kernels)
      if (holdsTiles(kernel) && failed(convert(kernel)))
        return signalPassFailure();
  }
};
} // namespace

LogicalResult TilesToLanes::convert(gpu::GPUFuncOp kernel) {
  FailureOr<int64_t> threads = countTileThreads(kernel);
  if (failed(threads))
    return failure();
  if (*threads == 0)
    return kernel.emitError(
        "has tiles in workgroup memory but none in registers; tiles in registers determine the number of threads");
  LaneCode code(kernel, {*threads, /*shuffles=*/subgroup == FragmentKind::lanes, pointers});
  // The pass manager verifies the module only after the whole stage, when no types of tiles are left.
  if (failed(code.run()) || failed(verify(kernel)))
    return failure();
  notes::laneRegisters.set(kernel, code.countRegisters());
  return success();
}
