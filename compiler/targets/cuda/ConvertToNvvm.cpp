//===- ConvertToNvvm.cpp - kernels in the LLVM dialect --------------------===//
//
// Upstream's own pass calls the toolkit's libdevice for functions that PTX has instructions for, and its
// square root is an approximation. Here these are LLVM's intrinsics, which round.
//
//===----------------------------------------------------------------------===//

#include "heddle/Passes.h"

#include "targets/llvm/Patterns.h"

#include "Notes.h"
#include "Sizes.h"

#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_CONVERTTONVVM
#include "heddle/Passes.h.inc"
} // namespace heddle

// As in buffers: kernels count to no more.
static constexpr unsigned indexBits = 32;

/// What a thread keeps has one place, however often a loop comes by.
static void hoistPrivateBuffers(gpu::GPUModuleOp module) {
  module.walk([](memref::AllocaOp alloca) {
    Block &entry = alloca->getParentOfType<gpu::GPUFuncOp>().getBody().front();
    alloca->moveBefore(&entry, entry.begin());
  });
}

/// Upstream's patterns for the gpu dialect, without those that call libdevice.
static RewritePatternSet getGpuPatterns(const LLVMTypeConverter &converter) {
  RewritePatternSet patterns(&converter.getContext());
  populateGpuToNVVMConversionPatterns(converter, patterns);
  llvm::erase_if(patterns.getNativePatterns(), [](const std::unique_ptr<RewritePattern> &pattern) {
    std::optional<OperationName> root = pattern->getRootKind();
    return root && (root->getDialectNamespace() == "arith" || root->getDialectNamespace() == "math");
  });
  return patterns;
}

static void describeKernels(gpu::GPUModuleOp module) {
  OpBuilder b(module.getContext());
  for (auto kernel : module.getOps<LLVM::LLVMFuncOp>()) {
    // Launches have just that many threads.
    if (Attribute threads = kernel->removeAttr(NVVM::NVVMDialect::getMaxntidAttrName()))
      kernel->setAttr(NVVM::NVVMDialect::getReqntidAttrName(), threads);
    // Else ptxas guesses how many registers leave room for other workgroups, and may spill for that.
    kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), b.getI32IntegerAttr(1));
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
    LLVMConversionTarget target(*context);
    target.addLegalDialect<NVVM::NVVMDialect>();
    target.addIllegalDialect<arith::ArithDialect, gpu::GPUDialect, math::MathDialect, memref::MemRefDialect,
                             vector::VectorDialect>();
    target.addLegalOp<gpu::GPUModuleOp>();
    RewritePatternSet patterns = getGpuPatterns(converter);
    heddle::populateKernelsToLLVM(converter, patterns);
    if (failed(applyPartialConversion(module, target, std::move(patterns))))
      return signalPassFailure();
    describeKernels(module);
  }
};
} // namespace
