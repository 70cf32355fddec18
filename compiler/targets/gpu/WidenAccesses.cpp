//===- WidenAccesses.cpp - buffers of vectors -----------------------------===//
//
// SPIR-V loads and stores whole elements of a buffer. So a vector of 128 bits
// can be loaded at once only if it is one element of a buffer of vectors. If a
// kernel accesses a buffer of scalars as vectors, or loads neighbouring scalars
// that can share the load of a vector, this pass turns the buffer into a buffer
// of vectors where this is possible. It replaces vector accesses of other
// buffers by scalar accesses.
//
//===----------------------------------------------------------------------===//

#include "LaneIndex.h"

#include "heddle/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace heddle;

namespace heddle {
#define GEN_PASS_DEF_WIDENACCESSES
#include "heddle/Passes.h.inc"
} // namespace heddle

static constexpr int64_t vectorBits = 128; // the size of a vector that becomes an element of a buffer

namespace {

/// A load or a store of a vector whose elements are neighbours in one dimension of a buffer.
struct VectorAccess {
  Operation *op;
  Value stored;               // the vector that a store writes; null for a load
  SmallVector<Value> indices; // the position of the first element
  unsigned along;             // the dimension of the buffer in which the elements are neighbours
};

/// The accesses to one buffer of a kernel. The buffer is an argument or an allocation of the kernel.
class BufferAccesses {
public:
  explicit BufferAccesses(Value buffer) : buffer(buffer) {}

  /// Collects the accesses. Emits an error and fails if the buffer is accessed by vectors and also has uses other than
  /// accesses, or if findAccess does not support an access to a vector.
  LogicalResult find();
  bool hasVectors() const { return !vectors.empty(); }
  /// Returns whether the buffer has f32 elements, and the lanes of all scalar loads (the positions of the elements in
  /// vectors of 128 bits) are known at compile time and not all 0. In this case, loads of neighbouring scalars can
  /// share the load of a vector.
  bool readsNeighbours();
  /// Returns whether the buffer can become a buffer of vectors of 128 bits: all vectors have this size and begin at
  /// multiples of it along the last dimension, whose extent is such a multiple, too; elements have at least 32 bits;
  /// the layout is the identity; and no store is scalar.
  bool canBeWide();
  void widen();
  void cutVectors();

private:
  /// Emits a load at `indices`, in which `last` replaces the last index.
  Value emitLoad(ImplicitLocOpBuilder &b, ValueRange indices, Value last);

  /// The number of elements of the buffer in a vector of 128 bits.
  int64_t countLanes() { return vectorBits / cast<MemRefType>(buffer.getType()).getElementTypeBitWidth(); }

  Value buffer;
  SmallVector<memref::LoadOp> loads;
  SmallVector<memref::StoreOp> stores;
  SmallVector<VectorAccess> vectors;
};

} // namespace

/// Returns the description of an operation that accesses a vector of one dimension. Returns nullopt for other
/// operations and for accesses that are masked or may be out of bounds.
static std::optional<VectorAccess> findAccess(Operation *op) {
  if (auto load = dyn_cast<vector::LoadOp>(op))
    return VectorAccess{op, Value(), SmallVector<Value>(load.getIndices()), unsigned(load.getIndices().size() - 1)};
  if (auto store = dyn_cast<vector::StoreOp>(op))
    return VectorAccess{op, store.getValueToStore(), SmallVector<Value>(store.getIndices()),
                        unsigned(store.getIndices().size() - 1)};
  auto transfer = dyn_cast<VectorTransferOpInterface>(op);
  if (!transfer || transfer.getVectorType().getRank() != 1 || !transfer.isDimInBounds(0) || transfer.getMask())
    return std::nullopt;
  auto along = dyn_cast<AffineDimExpr>(transfer.getPermutationMap().getResult(0));
  if (!along)
    return std::nullopt;
  auto write = dyn_cast<vector::TransferWriteOp>(op);
  return VectorAccess{op, write ? write.getVector() : Value(), SmallVector<Value>(transfer.getIndices()),
                      along.getPosition()};
}

static VectorType getType(const VectorAccess &access) {
  return cast<VectorType>(access.stored ? access.stored.getType() : access.op->getResult(0).getType());
}

LogicalResult BufferAccesses::find() {
  bool hasOthers = false;
  for (Operation *user : buffer.getUsers()) {
    if (auto load = dyn_cast<memref::LoadOp>(user)) {
      loads.push_back(load);
    } else if (auto store = dyn_cast<memref::StoreOp>(user)) {
      stores.push_back(store);
    } else if (isa<VectorTransferOpInterface, vector::LoadOp, vector::StoreOp>(user)) {
      std::optional<VectorAccess> access = findAccess(user);
      if (!access || getType(*access).getRank() != 1)
        return user->emitOpError("is not an access to a vector of elements along one dimension");
      vectors.push_back(std::move(*access));
    } else {
      hasOthers = true;
    }
  }
  if (hasOthers && hasVectors())
    return emitError(buffer.getLoc())
           << "a buffer is accessed as vectors and also has uses that are neither loads nor stores";
  return success();
}

bool BufferAccesses::readsNeighbours() {
  bool hasOthers = false;
  if (!cast<MemRefType>(buffer.getType()).getElementType().isF32())
    return false; // elements of other types are read only once, so loading a vector of them saves nothing
  for (memref::LoadOp load : loads) {
    if (load.getIndices().empty())
      return false;
    std::optional<int64_t> lane = LaneIndex(load.getIndices().back(), countLanes()).lane();
    if (!lane)
      return false;
    hasOthers |= *lane != 0;
  }
  return hasOthers;
}

bool BufferAccesses::canBeWide() {
  auto type = cast<MemRefType>(buffer.getType());
  if (!stores.empty() || type.getRank() == 0 || type.isDynamicDim(type.getRank() - 1) ||
      !type.getLayout().isIdentity() || type.getElementTypeBitWidth() < 32 ||
      type.getShape().back() % countLanes() != 0)
    return false;
  return llvm::all_of(vectors, [&](const VectorAccess &access) {
    return getType(access).getNumElements() == countLanes() && access.along + 1 == access.indices.size() &&
           LaneIndex(access.indices.back(), countLanes()).lane() == 0;
  });
}

Value BufferAccesses::emitLoad(ImplicitLocOpBuilder &b, ValueRange indices, Value last) {
  SmallVector<Value> at(indices);
  at.back() = last;
  return memref::LoadOp::create(b, buffer, at);
}

/// Changes the type of the buffer to vectors and rewrites its accesses. The caller must adapt the definition of the
/// buffer.
void BufferAccesses::widen() {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> shape(type.getShape());
  int64_t lanes = countLanes();
  shape.back() /= lanes;
  auto vector = VectorType::get({lanes}, type.getElementType());
  buffer.setType(MemRefType::get(shape, vector, MemRefLayoutAttrInterface(), type.getMemorySpace()));
  for (VectorAccess &access : vectors) {
    ImplicitLocOpBuilder b(access.op->getLoc(), access.op);
    Value last = LaneIndex(access.indices.back(), lanes).emitVector(b);
    if (access.stored) {
      access.indices.back() = last;
      memref::StoreOp::create(b, access.stored, buffer, access.indices);
    } else {
      access.op->getResult(0).replaceAllUsesWith(emitLoad(b, access.indices, last));
    }
    access.op->erase();
  }
  for (memref::LoadOp load : loads) {
    ImplicitLocOpBuilder b(load.getLoc(), load);
    Value index = load.getIndices().back(), element;
    LaneIndex place(index, lanes);
    if (std::optional<int64_t> lane = place.lane()) {
      element = vector::ExtractOp::create(b, emitLoad(b, load.getIndices(), place.emitVector(b)), *lane);
    } else {
      Value length = arith::ConstantIndexOp::create(b, lanes);
      Value all = emitLoad(b, load.getIndices(), arith::DivUIOp::create(b, index, length));
      element = vector::ExtractOp::create(b, all, OpFoldResult(Value(arith::RemUIOp::create(b, index, length))));
    }
    load.replaceAllUsesWith(element);
    load.erase();
  }
}

/// Replaces accesses of vectors by accesses of their scalars.
void BufferAccesses::cutVectors() {
  for (VectorAccess &access : vectors) {
    ImplicitLocOpBuilder b(access.op->getLoc(), access.op);
    SmallVector<Value> elements;
    Value first = access.indices[access.along];
    for (int64_t lane = 0; lane < getType(access).getNumElements(); ++lane) {
      access.indices[access.along] = b.createOrFold<arith::AddIOp>(first, arith::ConstantIndexOp::create(b, lane));
      if (access.stored)
        memref::StoreOp::create(b, vector::ExtractOp::create(b, access.stored, lane), buffer, access.indices);
      else
        elements.push_back(memref::LoadOp::create(b, buffer, access.indices));
    }
    if (!access.stored)
      access.op->getResult(0).replaceAllUsesWith(
          vector::FromElementsOp::create(b, getType(access), elements).getResult());
    access.op->erase();
  }
}

/// Replaces accesses through views of a buffer by accesses of the buffer itself.
static LogicalResult foldParts(Operation *root) {
  RewritePatternSet patterns(root->getContext());
  vector::populateVectorTransferLoweringPatterns(patterns, /*maxTransferRank=*/1);
  memref::populateFoldMemRefAliasOpPatterns(patterns);
  return applyPatternsGreedily(root, std::move(patterns));
}

/// Casts the operands of a launch to the new types of the kernel's arguments.
static void castOperands(gpu::LaunchFuncOp launch, gpu::GPUFuncOp kernel) {
  OpBuilder b(launch);
  for (auto [operand, argument] : llvm::zip(launch.getKernelOperandsMutable(), kernel.getArguments()))
    if (operand.get().getType() != argument.getType())
      operand.set(
          UnrealizedConversionCastOp::create(b, launch.getLoc(), argument.getType(), operand.get()).getResult(0));
}

namespace {
struct WidenAccesses : heddle::impl::WidenAccessesBase<WidenAccesses> {
  void runOnOperation() override {
    if (failed(foldParts(getOperation())))
      return signalPassFailure();
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
        if ((accesses.hasVectors() || accesses.readsNeighbours()) && accesses.canBeWide())
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
