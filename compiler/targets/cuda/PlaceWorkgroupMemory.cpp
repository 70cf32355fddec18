//===- PlaceWorkgroupMemory.cpp - shared memory in one array --------------===//
//
// This pass places all buffers that the threads of a workgroup share in one
// array of dynamic shared memory, one after the other. Each launch passes the
// length of the array. With static variables, PTX would limit the buffers of a
// kernel to 48 KiB.
//
//===----------------------------------------------------------------------===//

#include "heddle/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_PLACEWORKGROUPMEMORY
#include "heddle/Passes.h.inc"
} // namespace heddle

static constexpr llvm::StringLiteral arrayName = "workgroup_memory";
static constexpr int64_t alignment = 16; // the alignment of each buffer in bytes: the size of the widest access

/// Returns the size of a buffer in bytes, or nullopt if its elements are neither numbers nor vectors of numbers.
static std::optional<int64_t> bytesOf(MemRefType type) {
  Type element = getElementTypeOrSelf(type.getElementType());
  int64_t count = type.getNumElements();
  if (auto vector = dyn_cast<VectorType>(type.getElementType()))
    count *= vector.getNumElements();
  if (element.isIndex())
    return 4 * count;
  return element.isIntOrFloat() ? std::optional(count * int64_t(llvm::divideCeil(element.getIntOrFloatBitWidth(), 8)))
                                : std::nullopt;
}

/// Declares the array, in the memory space `memory`, if the module does not declare it yet. Returns the type of the
/// array. In the declaration, the array has 0 elements, because each launch passes its length.
static MemRefType declareArray(gpu::GPUModuleOp module, Attribute memory) {
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  auto type = MemRefType::get({0}, b.getI8Type(), MemRefLayoutAttrInterface(), memory);
  if (!module.lookupSymbol(arrayName))
    memref::GlobalOp::create(b, module.getLoc(), arrayName, /*sym_visibility=*/StringAttr(), type,
                             /*initial_value=*/Attribute(), /*constant=*/false, b.getI64IntegerAttr(alignment));
  return type;
}

/// Places the kernel's buffers in the array, and returns the size in bytes of the array that the kernel needs.
static FailureOr<int64_t> placeBuffers(gpu::GPUFuncOp kernel) {
  SmallVector<memref::AllocOp> buffers;
  kernel.walk([&](memref::AllocOp alloc) { buffers.push_back(alloc); });
  if (buffers.empty())
    return 0;
  MemRefType type =
      declareArray(kernel->getParentOfType<gpu::GPUModuleOp>(), buffers.front().getType().getMemorySpace());
  OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
  Value array = memref::GetGlobalOp::create(b, kernel.getLoc(), type, arrayName);
  int64_t end = 0;
  for (memref::AllocOp buffer : buffers) {
    std::optional<int64_t> bytes = bytesOf(buffer.getType());
    if (!bytes || !buffer.getType().hasStaticShape())
      return buffer.emitOpError("cannot be placed in workgroup memory: expected a buffer of static size");
    b.setInsertionPoint(buffer);
    Value offset = arith::ConstantIndexOp::create(b, buffer.getLoc(), end);
    Value view = memref::ViewOp::create(b, buffer.getLoc(), buffer.getType(), array, offset, ValueRange());
    buffer.replaceAllUsesWith(view);
    buffer.erase();
    end += llvm::alignTo(*bytes, alignment);
  }
  return end;
}

namespace {
struct PlaceWorkgroupMemory : heddle::impl::PlaceWorkgroupMemoryBase<PlaceWorkgroupMemory> {
  void runOnOperation() override {
    llvm::DenseMap<Operation *, int64_t> sizes;
    WalkResult placed = getOperation().walk([&](gpu::GPUFuncOp kernel) {
      FailureOr<int64_t> bytes = placeBuffers(kernel);
      if (succeeded(bytes))
        sizes[kernel] = *bytes;
      return WalkResult(bytes);
    });
    if (placed.wasInterrupted())
      return signalPassFailure();
    SymbolTableCollection symbols;
    getOperation().walk([&](gpu::LaunchFuncOp launch) {
      int64_t bytes = sizes.lookup(symbols.lookupNearestSymbolFrom(launch, launch.getKernelAttr()));
      OpBuilder b(launch);
      if (bytes)
        launch.getDynamicSharedMemorySizeMutable().assign(
            arith::ConstantIntOp::create(b, launch.getLoc(), b.getI32Type(), bytes));
    });
  }
};
} // namespace
