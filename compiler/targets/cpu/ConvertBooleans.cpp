//===- ConvertBooleans.cpp - vectors of booleans in memory ----------------===//

#include "ConvertBooleans.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

/// The vector of bytes for one of booleans; null for others.
static VectorType bytesOf(VectorType type) {
  return type.getElementType().isInteger(1) ? type.clone(IntegerType::get(type.getContext(), 8)) : VectorType();
}

namespace {
template <typename LoadOp>
struct LoadBytes : ConvertOpToLLVMPattern<LoadOp> {
  using ConvertOpToLLVMPattern<LoadOp>::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(LoadOp op, typename LoadOp::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    VectorType bytes = bytesOf(op.getVectorType());
    if (!bytes)
      return rewriter.notifyMatchFailure(op, "not of booleans");
    Location loc = op.getLoc();
    Value from = this->getStridedElementPtr(rewriter, loc, op.getMemRefType(), adaptor.getBase(), adaptor.getIndices());
    Value loaded;
    if constexpr (std::is_same_v<LoadOp, vector::MaskedLoadOp>) {
      Value others = LLVM::ZExtOp::create(rewriter, loc, bytes, adaptor.getPassThru());
      loaded = LLVM::MaskedLoadOp::create(rewriter, loc, bytes, from, adaptor.getMask(), others, /*alignment=*/1);
    } else {
      loaded = LLVM::LoadOp::create(rewriter, loc, bytes, from, /*alignment=*/1);
    }
    rewriter.replaceOpWithNewOp<LLVM::TruncOp>(op, op.getVectorType(), loaded);
    return success();
  }
};

template <typename StoreOp>
struct StoreBytes : ConvertOpToLLVMPattern<StoreOp> {
  using ConvertOpToLLVMPattern<StoreOp>::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(StoreOp op, typename StoreOp::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    VectorType bytes = bytesOf(op.getVectorType());
    if (!bytes)
      return rewriter.notifyMatchFailure(op, "not of booleans");
    Location loc = op.getLoc();
    Value to = this->getStridedElementPtr(rewriter, loc, op.getMemRefType(), adaptor.getBase(), adaptor.getIndices());
    Value stored = LLVM::ZExtOp::create(rewriter, loc, bytes, adaptor.getValueToStore());
    if constexpr (std::is_same_v<StoreOp, vector::MaskedStoreOp>)
      rewriter.replaceOpWithNewOp<LLVM::MaskedStoreOp>(op, stored, to, adaptor.getMask(), /*alignment=*/1);
    else
      rewriter.replaceOpWithNewOp<LLVM::StoreOp>(op, stored, to, /*alignment=*/1);
    return success();
  }
};
} // namespace

void heddle::populateBooleansToLLVM(const LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<LoadBytes<vector::LoadOp>, LoadBytes<vector::MaskedLoadOp>, StoreBytes<vector::StoreOp>,
               StoreBytes<vector::MaskedStoreOp>>(converter, /*benefit=*/2);
}
