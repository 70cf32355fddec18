//===- ConvertToNvvm.cpp - kernels to the NVVM dialect --------------------===//
//
// The pass of upstream MLIR (convert-gpu-to-nvvm) calls functions of libdevice,
// a library of the CUDA toolkit, even where PTX has instructions, and uses an
// approximate square root. This pass converts the operations of the dialects
// arith and math to LLVM operations and intrinsics instead, which round
// correctly.
//
//===----------------------------------------------------------------------===//

#include "heddle/Passes.h"

#include "targets/llvm/Patterns.h"

#include "Notes.h"
#include "Sizes.h"

#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/NVGPUToNVVM/NVGPUToNVVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_CONVERTTONVVM
#include "heddle/Passes.h.inc"
} // namespace heddle

// Values of type index have 32 bits. No kernel needs larger numbers, because checkBuffers (CheckKernels.h) refuses
// buffers whose elements cannot be counted with 32 bits.
static constexpr unsigned indexBits = 32;

/// Moves the private buffers of a thread to the entry of the function, so that a loop does not allocate them
/// repeatedly.
static void hoistPrivateBuffers(gpu::GPUModuleOp module) {
  module.walk([](memref::AllocaOp alloca) {
    Block &entry = alloca->getParentOfType<gpu::GPUFuncOp>().getBody().front();
    alloca->moveBefore(&entry, entry.begin());
  });
}

/// Returns the patterns of upstream MLIR for the gpu dialect, without those that call libdevice.
static RewritePatternSet getGpuPatterns(const LLVMTypeConverter &converter) {
  RewritePatternSet patterns(&converter.getContext());
  populateGpuToNVVMConversionPatterns(converter, patterns);
  llvm::erase_if(patterns.getNativePatterns(), [](const std::unique_ptr<RewritePattern> &pattern) {
    std::optional<OperationName> root = pattern->getRootKind();
    return root && (root->getDialectNamespace() == "arith" || root->getDialectNamespace() == "math");
  });
  return patterns;
}

/// The number of registers of a multiprocessor.
static constexpr int64_t registersOfProcessor = 65536;

/// Sets attributes of the kernels that influence the generated PTX. If sizes lie in ranges, the first argument of each
/// kernel is the call header: the first bytes of the arena, which contain the sizes of the call. Marks this argument
/// with the annotation heddle.arena. The code that reads the sizes (LLVMSizes.cpp) searches for this annotation.
static void describeKernels(gpu::GPUModuleOp module) {
  OpBuilder b(module.getContext());
  for (auto kernel : module.getOps<LLVM::LLVMFuncOp>()) {
    // Upstream MLIR sets the maximum number of threads of a workgroup (maxntid). Each launch has exactly this number of
    // threads, so declare the number as required (reqntid).
    auto threads = dyn_cast_or_null<DenseI32ArrayAttr>(kernel->removeAttr(NVVM::NVVMDialect::getMaxntidAttrName()));
    if (threads)
      kernel->setAttr(NVVM::NVVMDialect::getReqntidAttrName(), threads);
    // Declare how many workgroups a multiprocessor should run at a time. ptxas limits the registers of a thread
    // accordingly, and may spill registers. The annotation heddle.lane_registers is the number of registers of a thread
    // for which the kernel is made. Without this annotation, one workgroup is enough.
    int64_t workgroups = 1;
    if (std::optional<int64_t> registers = heddle::notes::laneRegisters.get(kernel); registers && threads)
      workgroups = std::max<int64_t>(1, registersOfProcessor / *registers / llvm::product_of(threads.asArrayRef()));
    heddle::notes::laneRegisters.remove(kernel);
    kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), b.getI32IntegerAttr(int32_t(workgroups)));
    if (!heddle::Sizes(module).empty())
      heddle::notes::arena.set(kernel, 0);
  }
}

namespace {
struct ConvertToNvvm : heddle::impl::ConvertToNvvmBase<ConvertToNvvm> {
  void runOnOperation() override {
    auto module = cast<gpu::GPUModuleOp>(getOperation());
    MLIRContext *context = &getContext();
    hoistPrivateBuffers(module);
    LowerToLLVMOptions options(context);
    options.overrideIndexBitwidth(indexBits);
    options.useBarePtrCallConv = true;
    LLVMTypeConverter converter(context, options);
    configureGpuToNVVMTypeConverter(converter);
    // Nothing uses the token of an async copy: copies, commits and waits are executed in the order of the code.
    converter.addConversion([&](nvgpu::DeviceAsyncTokenType) { return IntegerType::get(context, 32); });
    LLVMConversionTarget target(*context);
    target.addLegalDialect<NVVM::NVVMDialect>();
    target.addIllegalDialect<arith::ArithDialect, gpu::GPUDialect, math::MathDialect, memref::MemRefDialect,
                             nvgpu::NVGPUDialect, vector::VectorDialect>();
    target.addLegalOp<gpu::GPUModuleOp>();
    RewritePatternSet patterns = getGpuPatterns(converter);
    populateNVGPUToNVVMConversionPatterns(converter, patterns);
    heddle::populateKernelsToLLVM(converter, patterns, /*alignVectors=*/true);
    if (failed(applyPartialConversion(module, target, std::move(patterns))))
      return signalPassFailure();
    describeKernels(module);
  }
};
} // namespace
