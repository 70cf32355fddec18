//===- ExpandLookups.cpp - heddle.lookup as CPU instructions --------------===//

#include "ExpandLookups.h"

#include "Heddle.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace heddle;

namespace {
/// An intrinsic of LLVM for an instruction that looks up bytes.
struct LookupInstruction {
  int64_t bytes;                    // the number of bytes that the instruction looks up
  StringLiteral feature, intrinsic; // the CPU feature that the instruction needs, and the name of the intrinsic
};
} // namespace

// The widest instruction that the CPU has and that fits into the rest of a vector is used for each part.
static constexpr LookupInstruction lookupInstructions[] = {
    {64, "avx512bw", "llvm.x86.avx512.pshuf.b.512"},
    {32, "avx2", "llvm.x86.avx2.pshuf.b"},
    {16, "ssse3", "llvm.x86.ssse3.pshuf.b.128"},
    {16, "neon", "llvm.aarch64.neon.tbl1"},
};

namespace {
struct ExpandLookup : OpRewritePattern<LookupOp> {
  ExpandLookup(MLIRContext *context, ArrayRef<std::string> features) : OpRewritePattern(context), features(features) {}

  LogicalResult matchAndRewrite(LookupOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    int64_t all = op.getType().getNumElements();
    Value result = op.getIndices();
    for (int64_t first = 0, count = 0; first < all; first += count) {
      const LookupInstruction *found = find(all - first);
      count = found ? found->bytes : all - first;
      if (count == all) {
        result = emit(b, found, op.getIndices(), op.getValues());
        break;
      }
      Value part = vector::ExtractStridedSliceOp::create(b, op.getIndices(), ArrayRef(first), ArrayRef(count),
                                                         ArrayRef<int64_t>(1));
      result = vector::InsertStridedSliceOp::create(b, emit(b, found, part, op.getValues()), result, ArrayRef(first),
                                                    ArrayRef<int64_t>(1));
    }
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  /// Returns the widest instruction for at most `bytes` bytes, or null if there is none.
  const LookupInstruction *find(int64_t bytes) const {
    for (const LookupInstruction &known : lookupInstructions)
      if (known.bytes <= bytes && llvm::is_contained(features, known.feature))
        return &known;
    return nullptr;
  }

  /// Emits a lookup of `indices` by an instruction; if it is null, by selections.
  static Value emit(ImplicitLocOpBuilder &b, const LookupInstruction *instruction, Value indices,
                    ArrayRef<int64_t> values) {
    auto type = cast<VectorType>(indices.getType());
    if (!instruction)
      return select(b, indices, values);
    // The instructions of x86 look up each part of 16 bytes in the same part of the table.
    SmallVector<int8_t> table;
    for (int64_t i = 0; i < type.getNumElements(); ++i)
      table.push_back(int8_t(values[i % values.size()]));
    Value constant = arith::ConstantOp::create(b, DenseElementsAttr::get(type, ArrayRef<int8_t>(table)));
    return LLVM::CallIntrinsicOp::create(b, type, b.getStringAttr(instruction->intrinsic), {constant, indices})
        .getResult(0);
  }

  /// Emits selections by the bits of the indices: each halves the number of candidates.
  static Value select(ImplicitLocOpBuilder &b, Value indices, ArrayRef<int64_t> values) {
    auto type = cast<VectorType>(indices.getType());
    auto splat = [&](int64_t number) -> Value {
      return arith::ConstantOp::create(b, DenseElementsAttr::get(type, Attribute(b.getI8IntegerAttr(number))));
    };
    SmallVector<Value> candidates = llvm::map_to_vector(values, splat);
    for (int64_t bit = 1; candidates.size() > 1; bit *= 2) {
      Value masked = arith::AndIOp::create(b, indices, splat(bit));
      Value isSet = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, masked, splat(0));
      for (size_t i = 0; i < candidates.size() / 2; ++i)
        candidates[i] = arith::SelectOp::create(b, isSet, candidates[2 * i + 1], candidates[2 * i]);
      candidates.truncate(candidates.size() / 2);
    }
    return candidates.front();
  }

  ArrayRef<std::string> features;
};
} // namespace

void heddle::populateExpandLookups(RewritePatternSet &patterns, ArrayRef<std::string> features) {
  patterns.add<ExpandLookup>(patterns.getContext(), features);
}
