//===- ConvertToLLVM.cpp - conversion to the LLVM dialect -----------------===//

#include "ConvertDispatch.h"
#include "heddle/Passes.h"

#include "targets/llvm/Patterns.h"

#include "Heddle.h"
#include "Notes.h"
#include "Sizes.h"
#include "heddle/ArenaLayout.h"

#include "mlir/Dialect/AMX/Transforms.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Conversion/ArithCommon/AttrToLLVMConverter.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/LLVMCommon/VectorPattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_CONVERTTOLLVM
#include "heddle/Passes.h.inc"
} // namespace heddle

/// Adds a fence before each return of a function with nontemporal stores. Without the fence, another thread could see
/// that a task is done before it sees the results that the task has stored.
static void orderStreamingStores(LLVM::LLVMFuncOp func) {
  bool streams = false;
  func.walk([&](LLVM::StoreOp store) { streams |= store.getNontemporal(); });
  if (!streams)
    return;
  func.walk([](LLVM::ReturnOp end) {
    OpBuilder b(end);
    LLVM::FenceOp::create(b, end.getLoc(), LLVM::AtomicOrdering::seq_cst, StringRef());
  });
}

/// Marks functions so that they pass static memrefs as bare pointers, and marks the pointers as noalias. Buffers of one
/// call do not overlap: callers of an entry point must not pass overlapping buffers, and the memory plan does not place
/// buffers of a kernel over each other.
static void markPointers(ModuleOp module) {
  UnitAttr unit = UnitAttr::get(module.getContext());
  for (auto func : module.getOps<func::FuncOp>()) {
    func->setAttr("llvm.bareptr", unit);
    for (BlockArgument arg : func.getArguments())
      if (isa<MemRefType>(arg.getType()))
        func.setArgAttr(arg.getArgNumber(), LLVM::LLVMDialect::getNoAliasAttrName(), unit);
  }
}

/// Changes the type of each unused argument that is a memref without elements to a memref with one element, since a
/// memref without elements cannot be passed as a bare pointer.
static void passEmptyBuffers(ModuleOp module) {
  for (auto func : module.getOps<func::FuncOp>()) {
    SmallVector<Type> types(func.getArgumentTypes());
    for (auto [argument, type] : llvm::zip_equal(func.getArguments(), types))
      if (auto buffer = dyn_cast<MemRefType>(type);
          buffer && buffer.hasStaticShape() && buffer.getNumElements() == 0 && argument.use_empty()) {
        type = MemRefType::get({1}, buffer.getElementType());
        argument.setType(type);
      }
    func.setFunctionType(FunctionType::get(func.getContext(), types, func.getResultTypes()));
  }
}

/// Replaces heddle.size by a load of the size from the call header at the start of the arena.
static LogicalResult loadSizes(ModuleOp module) {
  heddle::Sizes sizes(module);
  for (auto func : module.getOps<func::FuncOp>()) {
    WalkResult result = func.walk([&](heddle::SizeOp op) {
      BlockArgument arena = heddle::notes::arena.argumentOf(func);
      std::optional<int64_t> number = sizes.find(op.getName());
      if (!arena || !number)
        return WalkResult(op.emitOpError(arena ? "cannot find a size of this name in the module"
                                               : "is in a function without an arena"));
      OpBuilder b(op);
      Location loc = op.getLoc();
      int64_t offset = heddle::arenaSizeOffset(*number);
      Value start = arith::ConstantIndexOp::create(b, loc, offset), zero = arith::ConstantIndexOp::create(b, loc, 0);
      Value word = memref::ViewOp::create(b, loc, MemRefType::get({1}, b.getIndexType()), arena, start, ValueRange());
      op.replaceAllUsesWith(memref::LoadOp::create(b, loc, word, zero).getResult());
      op.erase();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
  }
  return success();
}

/// Represents bf16 by 16-bit integers. This is possible because code at this stage only moves values of bf16 and does
/// not compute with them. For some moves of LLVM's type bfloat, LLVM would emit library calls.
static void storeBFloatsAsBits(ModuleOp module, LLVMTypeConverter &converter) {
  Type bits = IntegerType::get(module.getContext(), 16);
  converter.addConversion([bits](BFloat16Type) { return bits; });
  converter.addConversion([bits, &converter](VectorType type) -> std::optional<Type> {
    if (!type.getElementType().isBF16())
      return std::nullopt;
    return converter.convertType(type.clone(bits));
  });
  for (auto global : module.getOps<memref::GlobalOp>()) {
    auto elements = dyn_cast_or_null<DenseElementsAttr>(global.getInitialValueAttr());
    if (!elements || !elements.getElementType().isBF16())
      continue;
    global.setInitialValueAttr(elements.bitcast(bits));
    global.setType(cast<MemRefType>(global.getType().clone(bits)));
  }
}

namespace {
/// Converts constants of bf16 to constants of 16-bit integers.
struct BFloatConstant : ConvertOpToLLVMPattern<arith::ConstantOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(arith::ConstantOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isBF16())
      return rewriter.notifyMatchFailure(op, "not bf16");
    Type bits = rewriter.getIntegerType(16);
    Attribute value;
    if (auto number = dyn_cast<FloatAttr>(op.getValue()))
      value = rewriter.getIntegerAttr(bits, number.getValue().bitcastToAPInt());
    else
      value = cast<DenseElementsAttr>(op.getValue()).bitcast(bits);
    rewriter.replaceOpWithNewOp<LLVM::ConstantOp>(op, getTypeConverter()->convertType(op.getType()), value);
    return success();
  }
};

struct ConvertToLLVM : heddle::impl::ConvertToLLVMBase<ConvertToLLVM> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    MLIRContext *context = &getContext();
    if (failed(loadSizes(module)))
      return signalPassFailure();
    passEmptyBuffers(module);
    markPointers(module);
    LowerToLLVMOptions options(context);
    options.useBarePtrCallConv = true;
    LLVMTypeConverter converter(context, options);
    storeBFloatsAsBits(module, converter);
    LLVMConversionTarget target(*context);
    target.addLegalOp<ModuleOp>();

    RewritePatternSet patterns(context);
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    heddle::populateKernelsToLLVM(converter, patterns);
    populateAMXLegalizeForLLVMExportPatterns(converter, patterns);
    populateFuncToLLVMConversionPatterns(converter, patterns);
    patterns.add<BFloatConstant>(converter, /*benefit=*/2);
    // On a CPU without FMA, llvm.intr.fma would call fmaf of libm, whereas llvm.intr.fmuladd becomes a multiplication
    // and an addition.
    patterns.add<VectorConvertToLLVMPattern<math::FmaOp, LLVM::FMulAddOp, arith::AttrConvertFastMathToLLVM>>(
        converter, /*benefit=*/2);
    heddle::populateDispatchToLLVM(converter, patterns);
    if (failed(applyFullConversion(module, target, std::move(patterns))))
      return signalPassFailure();
    // Do not inline kernels, so that LLVM optimises each kernel once even if @main calls it several times.
    for (auto func : module.getOps<LLVM::LLVMFuncOp>()) {
      if (heddle::notes::kernel.has(func))
        func.setNoInline(true);
      orderStreamingStores(func);
    }
  }
};
} // namespace
