//===- ConvertBooleans.cpp - vectors of booleans in memory ----------------===//

#include "ConvertBooleans.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

/// Returns a vector of bytes of the same shape for a vector of booleans, and null for other types.
static VectorType bytesOf(VectorType type) {
  return type.getElementType().isInteger(1) ? type.clone(IntegerType::get(type.getContext(), 8)) : VectorType();
}

namespace {
/// Converts a load or store of a vector of booleans to a load or store of a vector of bytes, with one byte for each
/// boolean. A subclass implements `rewrite`, which replaces `op` by an access at the address `place`.
template <typename AccessOp>
struct AccessBytes : ConvertOpToLLVMPattern<AccessOp> {
  using ConvertOpToLLVMPattern<AccessOp>::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(AccessOp op, typename AccessOp::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    VectorType bytes = bytesOf(op.getVectorType());
    if (!bytes)
      return rewriter.notifyMatchFailure(op, "not a vector of booleans");
    Value place = this->getStridedElementPtr(rewriter, op.getLoc(), op.getMemRefType(), adaptor.getBase(),
                                             adaptor.getIndices());
    rewrite(op, adaptor, bytes, place, rewriter);
    return success();
  }

  virtual void rewrite(AccessOp op, typename AccessOp::Adaptor adaptor, VectorType bytes, Value place,
                       ConversionPatternRewriter &rewriter) const = 0;
};

template <typename LoadOp>
struct LoadBytes : AccessBytes<LoadOp> {
  using AccessBytes<LoadOp>::AccessBytes;

  void rewrite(LoadOp op, typename LoadOp::Adaptor adaptor, VectorType bytes, Value from,
               ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value loaded;
    if constexpr (std::is_same_v<LoadOp, vector::MaskedLoadOp>) {
      Value others = LLVM::ZExtOp::create(rewriter, loc, bytes, adaptor.getPassThru());
      loaded = LLVM::MaskedLoadOp::create(rewriter, loc, bytes, from, adaptor.getMask(), others, /*alignment=*/1);
    } else {
      loaded = LLVM::LoadOp::create(rewriter, loc, bytes, from, /*alignment=*/1);
    }
    rewriter.replaceOpWithNewOp<LLVM::TruncOp>(op, op.getVectorType(), loaded);
  }
};

template <typename StoreOp>
struct StoreBytes : AccessBytes<StoreOp> {
  using AccessBytes<StoreOp>::AccessBytes;

  void rewrite(StoreOp op, typename StoreOp::Adaptor adaptor, VectorType bytes, Value to,
               ConversionPatternRewriter &rewriter) const override {
    Value stored = LLVM::ZExtOp::create(rewriter, op.getLoc(), bytes, adaptor.getValueToStore());
    if constexpr (std::is_same_v<StoreOp, vector::MaskedStoreOp>)
      rewriter.replaceOpWithNewOp<LLVM::MaskedStoreOp>(op, stored, to, adaptor.getMask(), /*alignment=*/1);
    else
      rewriter.replaceOpWithNewOp<LLVM::StoreOp>(op, stored, to, /*alignment=*/1);
  }
};
} // namespace

void heddle::populateBooleansToLLVM(const LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<LoadBytes<vector::LoadOp>, LoadBytes<vector::MaskedLoadOp>, StoreBytes<vector::StoreOp>,
               StoreBytes<vector::MaskedStoreOp>>(converter, /*benefit=*/2);
}
