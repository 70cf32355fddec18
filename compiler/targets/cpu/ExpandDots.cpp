//===- ExpandDots.cpp - heddle.dot as CPU instructions --------------------===//
//
// heddle.dot adds products of neighbouring narrow numbers (int8, i16 or bf16)
// to an accumulator of 32 bits. LLVM does not use the CPU's dot-product
// instructions for products of widened numbers, and does not split a call of
// an intrinsic for such an instruction into calls for shorter vectors. So this
// pass splits the vectors, and calls for each part the intrinsic for vectors of
// the part's size.
//
// The pass also lowers the operations that layers with heddle.dot need:
// heddle.pair and heddle.pair_dot (below), heddle.lookup (ExpandLookups.h), GELU
// (ExpandGelu.h), and conversions of operands to bf16 (ExpandConversions.h).
//
//===----------------------------------------------------------------------===//

#include "ExpandConversions.h"
#include "ExpandGelu.h"
#include "ExpandLookups.h"

#include "heddle/Passes.h"

#include "transforms/ForProducts.h"

#include "Heddle.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace heddle;

namespace heddle {
#define GEN_PASS_DEF_EXPANDDOTS
#include "heddle/Passes.h.inc"
} // namespace heddle

namespace {
/// The types of the numbers that an instruction multiplies.
enum class Factors {
  UnsignedBytes, // unsigned bytes times signed bytes, four products per sum
  SignedBytes,   // signed bytes times signed bytes, four products per sum
  PairsOfBytes,  // unsigned bytes times signed bytes, two products per sum of i16; there is no accumulator
  Words,         // i16 times i16, two products per sum; the instruction has no accumulator
  BFloats        // bf16 times bf16, two products per sum
};

/// An intrinsic of LLVM for a dot-product instruction.
struct Instruction {
  Factors factors;
  int64_t lanes; // the number of sums that the instruction computes
  /// The CPU features that the instruction needs, of which `andFeature` may be empty, and the name of the intrinsic.
  StringLiteral feature, andFeature, intrinsic;
};
} // namespace

// For each part of an operation, the pass uses the first instruction in this list that multiplies the operation's
// types, that the CPU has, and that computes at most as many sums as remain (`find` below). LLVM has the same
// intrinsics of vpdpbusd for AVX-512 VNNI and AVX-VNNI.
static constexpr Instruction instructions[] = {
    {Factors::UnsignedBytes, 16, "avx512vnni", "", "llvm.x86.avx512.vpdpbusd.512"},
    {Factors::UnsignedBytes, 8, "avx512vnni", "avx512vl", "llvm.x86.avx512.vpdpbusd.256"},
    {Factors::UnsignedBytes, 8, "avxvnni", "", "llvm.x86.avx512.vpdpbusd.256"},
    {Factors::UnsignedBytes, 4, "avx512vnni", "avx512vl", "llvm.x86.avx512.vpdpbusd.128"},
    {Factors::UnsignedBytes, 4, "avxvnni", "", "llvm.x86.avx512.vpdpbusd.128"},
    {Factors::UnsignedBytes, 4, "i8mm", "", "llvm.aarch64.neon.usdot"},
    {Factors::UnsignedBytes, 2, "i8mm", "", "llvm.aarch64.neon.usdot"},
    {Factors::SignedBytes, 4, "dotprod", "", "llvm.aarch64.neon.sdot"},
    {Factors::SignedBytes, 2, "dotprod", "", "llvm.aarch64.neon.sdot"},
    {Factors::PairsOfBytes, 32, "avx512bw", "", "llvm.x86.avx512.pmaddubs.w.512"},
    {Factors::PairsOfBytes, 16, "avx2", "", "llvm.x86.avx2.pmadd.ub.sw"},
    {Factors::PairsOfBytes, 8, "ssse3", "", "llvm.x86.ssse3.pmadd.ub.sw.128"},
    {Factors::Words, 16, "avx512bw", "", "llvm.x86.avx512.pmaddw.d.512"},
    {Factors::Words, 8, "avx2", "", "llvm.x86.avx2.pmadd.wd"},
    {Factors::Words, 4, "sse2", "", "llvm.x86.sse2.pmadd.wd"},
    {Factors::BFloats, 16, "avx512bf16", "", "llvm.x86.avx512bf16.dpbf16ps.512"},
    {Factors::BFloats, 8, "avx512bf16", "avx512vl", "llvm.x86.avx512bf16.dpbf16ps.256"},
    {Factors::BFloats, 4, "avx512bf16", "avx512vl", "llvm.x86.avx512bf16.dpbf16ps.128"},
    {Factors::BFloats, 4, "bf16", "", "llvm.aarch64.neon.bfdot"},
    {Factors::BFloats, 2, "bf16", "", "llvm.aarch64.neon.bfdot"},
};

namespace {
/// Builds the sums of a heddle.dot, or of one part of its vectors.
struct DotBuilder : ImplicitLocOpBuilder {
  DotBuilder(DotOp op, PatternRewriter &rewriter)
      : ImplicitLocOpBuilder(op.getLoc(), rewriter), lhs(op.getLhs()), rhs(op.getRhs()), acc(op.getAcc()) {}

  int64_t size() { return cast<VectorType>(acc.getType()).getNumElements(); }
  /// Returns a builder for `count` sums from `first` on.
  DotBuilder part(int64_t first, int64_t count);
  /// Emits the sums by an instruction. `isUnsigned` means that bytes of lhs are unsigned. The instruction may read the
  /// bytes of lhs with the other signedness, or multiply 16-bit integers; the emitted code then converts the bytes.
  Value emit(const Instruction &instruction, bool isUnsigned);
  /// Emits the sums without a special instruction.
  Value emit(bool isUnsigned) {
    return isa<FloatType>(elementOf(lhs)) ? emitBFloats() : isWords() ? emitProducts() : emitBytes(isUnsigned);
  }

private:
  static Type elementOf(Value value) { return getElementTypeOrSelf(value); }
  bool isWords() { return elementOf(lhs).isInteger(16); }
  VectorType vectorOf(Type element, int64_t count) { return VectorType::get({count}, element); }
  Value splat(VectorType type, int64_t value) {
    return arith::ConstantOp::create(*this, DenseElementsAttr::get(type, getIntegerAttr(type.getElementType(), value)));
  }
  Value splatLike(Value like, int64_t value) { return splat(cast<VectorType>(like.getType()), value); }
  /// Returns `count` elements of the vector from `first` on.
  Value cut(Value value, int64_t first, int64_t count) {
    return createOrFold<vector::ExtractStridedSliceOp>(value, ArrayRef(first), ArrayRef(count),
                                                       ArrayRef<int64_t>(1));
  }
  /// Reinterprets a vector as `count` lanes of type `element`.
  Value bits(Value value, Type element, int64_t count) {
    return vector::BitCastOp::create(*this, vectorOf(element, count), value);
  }
  Value left(Value value, int64_t by) { return arith::ShLIOp::create(*this, value, splatLike(value, by)); }
  Value right(Value value, int64_t by, bool isUnsigned) {
    Value bits = splatLike(value, by);
    return isUnsigned ? Value(arith::ShRUIOp::create(*this, value, bits))
                      : Value(arith::ShRSIOp::create(*this, value, bits));
  }
  /// Returns bits `at` to `at` + 7 of each lane of `width` bits, extended to the width of the lane.
  Value byte(Value lanes, int64_t at, int64_t width, bool isUnsigned) {
    Value highest = at + 8 == width ? lanes : left(lanes, width - 8 - at);
    return right(highest, width - 8, isUnsigned);
  }
  Value call(StringRef intrinsic, ValueRange operands) {
    return LLVM::CallIntrinsicOp::create(*this, acc.getType(), getStringAttr(intrinsic), operands).getResult(0);
  }
  Value emitWords(StringRef intrinsic, bool isUnsigned);
  Value emitProducts();
  Value emitBytes(bool isUnsigned);
  Value emitBFloats();

  Value lhs, rhs, acc; // the operands of the heddle.dot, or parts of them
};
} // namespace

DotBuilder DotBuilder::part(int64_t first, int64_t count) {
  if (count == size())
    return *this;
  DotBuilder result = *this;
  int64_t each = cast<VectorType>(lhs.getType()).getNumElements() / size(); // products per sum
  result.lhs = cut(lhs, first * each, count * each);
  result.rhs = cut(rhs, first * each, count * each);
  result.acc = cut(acc, first, count);
  return result;
}

/// Emits the sums by an instruction that multiplies 16-bit lanes and adds each pair of neighbouring products. If lhs is
/// a vector of bytes, a sum has four products. The emitted code then extends the even bytes and the odd bytes to 16-bit
/// lanes, and executes the instruction once for the even and once for the odd bytes.
Value DotBuilder::emitWords(StringRef intrinsic, bool isUnsigned) {
  int64_t count = 2 * size();
  if (isWords()) {
    Value words = arith::ExtSIOp::create(*this, vectorOf(getI16Type(), count), rhs);
    return arith::AddIOp::create(*this, acc, call(intrinsic, {lhs, words}));
  }
  Value a = bits(lhs, getI16Type(), count), b = bits(rhs, getI16Type(), count), sum = acc;
  for (int64_t at : {0, 8}) {
    Value products = call(intrinsic, {byte(a, at, 16, isUnsigned), byte(b, at, 16, false)});
    sum = arith::AddIOp::create(*this, sum, products);
  }
  return sum;
}

/// Emits the sums of products of i16 (lhs) and i8 (rhs) without a special instruction.
Value DotBuilder::emitProducts() {
  Value a = bits(lhs, getI32Type(), size()), b = bits(rhs, getI16Type(), size()), sum = acc;
  for (int64_t at : {0, 1}) {
    Value word = right(at ? a : left(a, 16), 16, false);
    Value number = arith::ExtSIOp::create(*this, acc.getType(), byte(b, 8 * at, 16, false));
    sum = arith::AddIOp::create(*this, sum, arith::MulIOp::create(*this, word, number));
  }
  return sum;
}

/// Emits the sums (i32 or i16) of products of bytes without a special instruction.
Value DotBuilder::emitBytes(bool isUnsigned) {
  int64_t width = elementOf(acc).getIntOrFloatBitWidth();
  Value a = bits(lhs, elementOf(acc), size()), b = bits(rhs, elementOf(acc), size()), sum = acc;
  for (int64_t at = 0; at < width; at += 8) {
    Value product = arith::MulIOp::create(*this, byte(a, at, width, isUnsigned), byte(b, at, width, false));
    sum = arith::AddIOp::create(*this, sum, product);
  }
  return sum;
}

/// Emits the sums of products of bf16 by FMA of f32: the bits of a bf16, followed by 16 zeros, are the f32 of the same
/// value.
Value DotBuilder::emitBFloats() {
  Value a = bits(lhs, getI32Type(), size()), b = bits(rhs, getI32Type(), size()), sum = acc;
  auto number = [&](Value word) -> Value { return arith::BitcastOp::create(*this, acc.getType(), word); };
  auto upper = [&](Value word) -> Value {
    return number(arith::AndIOp::create(*this, word, splatLike(word, int32_t(0xffff0000))));
  };
  sum = math::FmaOp::create(*this, upper(a), upper(b), sum);
  return math::FmaOp::create(*this, number(left(a, 16)), number(left(b, 16)), sum);
}

Value DotBuilder::emit(const Instruction &instruction, bool isUnsigned) {
  if (instruction.factors == Factors::Words)
    return emitWords(instruction.intrinsic, isUnsigned);
  if (instruction.factors == Factors::PairsOfBytes)
    return arith::AddIOp::create(*this, acc, call(instruction.intrinsic, {lhs, rhs}));
  if (instruction.factors == Factors::BFloats) {
    // The pass in ConvertToLLVM.cpp converts the type bf16 to i16, but the operands of the intrinsic are bf16.
    auto typed = [&](Value narrow) -> Value {
      auto type = cast<VectorType>(narrow.getType());
      Value words = arith::BitcastOp::create(*this, type.clone(getI16Type()), narrow);
      return LLVM::BitcastOp::create(*this, type, words);
    };
    return call(instruction.intrinsic, {acc, typed(lhs), typed(rhs)});
  }
  if (isUnsigned == (instruction.factors == Factors::UnsignedBytes))
    return call(instruction.intrinsic, {acc, lhs, rhs});
  // The instruction reads the bytes of lhs with the other signedness. If the highest bit of a byte is flipped, the
  // instruction reads a value that differs from the byte's value by a constant: +128, or -128 if the instruction reads
  // signed bytes. Subtract the excess, that is, the products of rhs with this constant. The excess depends on rhs only,
  // so LLVM computes it once for all rows that are multiplied with rhs.
  Value highest = splatLike(lhs, -128), flipped = arith::XOrIOp::create(*this, lhs, highest);
  Value excess = call(instruction.intrinsic, {splatLike(acc, 0), highest, rhs});
  Value sum = call(instruction.intrinsic, {acc, flipped, rhs});
  return arith::SubIOp::create(*this, sum, excess);
}

namespace {
/// Splits the vectors of a heddle.dot and lowers each part to an instruction, or to arithmetic if no instruction fits.
struct ExpandDot : OpRewritePattern<DotOp> {
  ExpandDot(MLIRContext *context, ArrayRef<std::string> features) : OpRewritePattern(context), features(features) {}

  LogicalResult matchAndRewrite(DotOp op, PatternRewriter &rewriter) const override {
    DotBuilder b(op, rewriter);
    int64_t all = b.size();
    Value result = op.getAcc();
    for (int64_t first = 0, count = 0; first < all; first += count) {
      const Instruction *found = find(op, all - first);
      count = found ? found->lanes : all - first;
      DotBuilder part = b.part(first, count);
      Value sums = found ? part.emit(*found, op.getIsUnsigned()) : part.emit(op.getIsUnsigned());
      result = count == all ? sums
                            : Value(vector::InsertStridedSliceOp::create(b, sums, result, ArrayRef(first),
                                                                         ArrayRef<int64_t>(1)));
    }
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  /// Returns the best instruction for the next part of an operation with `lanes` remaining sums, or null if there is
  /// none. Prefers an instruction for bytes of the operation's signedness to one that needs conversions.
  const Instruction *find(DotOp op, int64_t lanes) const {
    auto has = [&](StringRef feature) { return feature.empty() || llvm::is_contained(features, feature); };
    auto first = [&](ArrayRef<Factors> kinds) -> const Instruction * {
      for (const Instruction &known : instructions)
        if (known.lanes <= lanes && llvm::is_contained(kinds, known.factors) && has(known.feature) &&
            has(known.andFeature))
          return &known;
      return nullptr;
    };
    if (isa<FloatType>(getElementTypeOrSelf(op.getLhs())))
      return first(Factors::BFloats);
    if (getElementTypeOrSelf(op.getLhs()).isInteger(16))
      return first(Factors::Words);
    if (getElementTypeOrSelf(op.getAcc()).isInteger(16))
      return op.getIsUnsigned() ? first(Factors::PairsOfBytes) : nullptr;
    const Instruction *own = first(op.getIsUnsigned() ? Factors::UnsignedBytes : Factors::SignedBytes);
    return own ? own : first({Factors::UnsignedBytes, Factors::SignedBytes, Factors::Words});
  }

  ArrayRef<std::string> features;
};

/// Lowers heddle.pair, which packs two f32 as bf16 into one 32-bit word.
struct ExpandPair : OpRewritePattern<PairOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PairOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type) { // compute with a vector of one element
      type = VectorType::get({1}, op.getType());
      auto lane = [&](Value number) -> Value { return vector::BroadcastOp::create(b, type.clone(number.getType()), number); };
      Value word = PairOp::create(b, type, lane(op.getLow()), lane(op.getHigh()));
      rewriter.replaceOpWithNewOp<vector::ExtractOp>(op, word, 0);
      return success();
    }
    if (type.getRank() != 1 || type.isScalable())
      return rewriter.notifyMatchFailure(op, "not a vector of one dimension");
    Value halves[] = {op.getLow(), op.getHigh()};
    for (Value &half : halves)
      half = emitForProducts(b, b.getLoc(), half, type.clone(b.getBF16Type()));
    Value sideBySide = vector::InterleaveOp::create(b, halves[0], halves[1]);
    rewriter.replaceOpWithNewOp<vector::BitCastOp>(op, type, sideBySide);
    return success();
  }
};

/// Lowers heddle.pair_dot, the dot product of words that heddle.pair packs, to heddle.dot of vectors of bf16.
struct ExpandPairDot : OpRewritePattern<PairDotOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PairDotOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type f32 = b.getF32Type(), word = b.getI32Type();
    auto type = dyn_cast<VectorType>(op.getType());
    if (type && (type.getRank() != 1 || type.isScalable()))
      return rewriter.notifyMatchFailure(op, "not a vector of one dimension");
    auto sums = type ? type : VectorType::get({1}, f32);
    auto lanes = [&](Value value, Type element) -> Value {
      return type ? value : Value(vector::BroadcastOp::create(b, sums.clone(element), value));
    };
    auto numbers = VectorType::get({2 * sums.getNumElements()}, b.getBF16Type());
    auto bits = [&](Value words) -> Value { return vector::BitCastOp::create(b, numbers, lanes(words, word)); };
    Value result = DotOp::create(b, sums, bits(op.getLhs()), bits(op.getRhs()), lanes(op.getAcc(), f32), /*is_unsigned=*/false);
    rewriter.replaceOp(op, type ? result : Value(vector::ExtractOp::create(b, result, 0)));
    return success();
  }
};

struct ExpandDots : heddle::impl::ExpandDotsBase<ExpandDots> {
  using ExpandDotsBase::ExpandDotsBase;
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    SmallVector<std::string> names(features.begin(), features.end());
    patterns.add<ExpandDot>(&getContext(), names);
    patterns.add<ExpandPair, ExpandPairDot>(&getContext());
    populateExpandLookups(patterns, names);
    populateExpandGelu(patterns, llvm::is_contained(names, "avx512dq"));
    populateExpandForDots(patterns, llvm::is_contained(names, "avx512bf16"));
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
