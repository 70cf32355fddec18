//===- Matrix.cpp - matrix instructions of a warp -------------------------===//

#include "Access.h"
#include "Instructions.h"
#include "LaneLoops.h"
#include "Rounding.h"

using namespace heddle::ptx;

namespace {

/// Checks that all lanes execute the instruction, as matrix instructions require. If not, the warp fails.
bool haveAllLanes(Warp &warp, const Instruction &instruction, Lanes lanes) {
  if (lanes == allLanes)
    return true;
  warp.fail(instruction, lanes,
            "the instruction requires all 32 lanes of the warp, but lane " + llvm::Twine(__builtin_ctz(~lanes)) +
                " does not execute the instruction");
  return false;
}

/// Executes ldmatrix, which loads up to four matrices of 8x8 16-bit numbers. Lanes 0 to 7 provide the addresses of the
/// rows of the first matrix, lanes 8 to 15 the addresses of the rows of the second matrix, and so on. From each matrix,
/// lane l receives two adjacent elements of row l / 4 or, with `.trans`, of column l / 4. Their positions in the row or
/// column are 2 (l % 4) and 2 (l % 4) + 1.
template <bool transposed> void loadMatrix(Warp &warp, const Instruction &instruction, Lanes lanes) {
  if (!haveAllLanes(warp, instruction, lanes))
    return;
  size_t count = instruction.rows.size();
  char *places[warpSize];
  Lanes addressed = count == 4 ? allLanes : (Lanes(1) << 8 * count) - 1; // the lanes that provide addresses
  AccessTo access{Space::Shared, instruction.a, instruction.offset, 16, Use::Read};
  if (!access.resolve(warp, instruction, addressed, places))
    return;
  for (size_t i = 0; i < count; ++i) {
    uint16_t matrix[8][8];
    for (unsigned row = 0; row < 8; ++row)
      std::memcpy(matrix[row], places[8 * i + row], 16);
    uint32_t *to = warp.row<uint32_t>(instruction.rows[i]);
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      unsigned row = lane / 4, column = 2 * (lane % 4);
      uint32_t low = transposed ? matrix[column][row] : matrix[row][column];
      uint32_t high = transposed ? matrix[column + 1][row] : matrix[row][column + 1];
      to[lane] = high << 16 | low;
    }
  }
}

// The element types of mma's operands a and b.
struct Half {
  static float widen(uint32_t bits) { return fromHalf(uint16_t(bits)); }
};
struct BFloat {
  static float widen(uint32_t bits) { return fromBFloat(uint16_t(bits)); }
};

/// Executes mma.m16n8k8 or mma.m16n8k16: d = a * b + c, where a is 16 x `depth` and b is `depth` x 8. `rows` contains
/// the registers of d, a, b and c, in this order. In lane l, register r of an operand contains
/// * for a: two adjacent elements of row l / 4 + 8 (r % 2), beginning at column 2 (l % 4) + 8 (r / 2);
/// * for b: two adjacent elements of column l / 4, beginning at row 2 (l % 4) + 8 r;
/// * for c and d: the element in row l / 4 + 8 (r / 2) and column 2 (l % 4) + r % 2.
///
/// A product of two 16-bit floats is exact in f64. This interpreter adds products in f64 and rounds the sum to f32
/// once.
template <typename Format, unsigned depth>
void multiplyMatrices(Warp &warp, const Instruction &instruction, Lanes lanes) {
  if (!haveAllLanes(warp, instruction, lanes))
    return;
  constexpr unsigned aCount = depth / 4, bCount = depth / 8;
  const Row *d = instruction.rows.data(), *a = d + 4, *b = a + aCount, *c = b + bCount;
  float left[16][depth], right[8][depth];
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    unsigned row = lane / 4, column = 2 * (lane % 4);
    for (unsigned r = 0; r < aCount; ++r) {
      uint32_t pair = warp.row<uint32_t>(a[r])[lane];
      float *to = &left[row + 8 * (r % 2)][column + 8 * (r / 2)];
      to[0] = Format::widen(pair);
      to[1] = Format::widen(pair >> 16);
    }
    for (unsigned r = 0; r < bCount; ++r) {
      uint32_t pair = warp.row<uint32_t>(b[r])[lane];
      right[row][column + 8 * r] = Format::widen(pair);
      right[row][column + 8 * r + 1] = Format::widen(pair >> 16);
    }
  }
  float results[4][warpSize]; // a copy, since registers of d may also be registers of c
  for (unsigned r = 0; r < 4; ++r) {
    const float *addends = warp.row<float>(c[r]);
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      const float *x = left[lane / 4 + 8 * (r / 2)], *y = right[2 * (lane % 4) + r % 2];
      double sum = addends[lane];
      for (unsigned k = 0; k < depth; ++k)
        sum += double(x[k]) * double(y[k]);
      results[r][lane] = float(sum);
    }
  }
  for (unsigned r = 0; r < 4; ++r)
    warp.set(d[r], results[r], lanes);
}

/// Calls `take` for each element of a vector operand, which must have `count` elements. `take` decodes an element, a
/// register, and sets its place in the register file (Row in Program.h), which is a new entry of `decoder.out.rows`.
template <typename Take> bool takeVector(Decoder &decoder, size_t index, unsigned count, Take take) {
  const Operand &vector = decoder.operand(index);
  if (!decoder.isVector(index) || vector.parts.size() != count)
    return decoder.fail("expected a vector of " + llvm::Twine(count) + " elements as operand " +
                        llvm::Twine(index + 1));
  for (const Operand &part : vector.parts)
    if (!take(part, decoder.out.rows.emplace_back()))
      return false;
  return true;
}

} // namespace

/// Decodes `ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r1, %r2, %r3, %r4}, [%rd1];`.
bool heddle::ptx::decodeLoadMatrix(Decoder &decoder) {
  Instruction &out = decoder.out;
  if (!decoder.take("sync") || !decoder.take("aligned") || !decoder.take("m8n8") || !decoder.take("b16"))
    return decoder.fail("expected .sync.aligned.m8n8 and .b16");
  unsigned count = decoder.take("x1") ? 1 : decoder.take("x2") ? 2 : decoder.take("x4") ? 4 : 0;
  if (!count)
    return decoder.fail("expected .x1, .x2 or .x4");
  bool transposed = decoder.take("trans");
  if (decoder.takeSpace() != Space::Shared)
    return decoder.fail("expected .shared");
  auto take = [&](const Operand &part, Row &row) { return decoder.destination(part, {Type::Bits, 4}, row); };
  return decoder.expectOperands(2) && takeVector(decoder, 0, count, take) &&
         decoder.address(1, Space::Shared, out.a, out.offset) &&
         decoder.finish(transposed ? loadMatrix<true> : loadMatrix<false>);
}

/// Decodes `mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {d, d, d, d}, {a, a, a, a}, {b, b}, {c, c, c, c};`.
bool heddle::ptx::decodeMatrixProduct(Decoder &decoder) {
  if (!decoder.take("sync") || !decoder.take("aligned") || !decoder.take("row") || !decoder.take("col"))
    return decoder.fail("expected .sync.aligned and .row.col");
  bool deep = decoder.take("m16n8k16");
  if (!deep && !decoder.take("m16n8k8"))
    return decoder.fail("expected .m16n8k16 or .m16n8k8");
  std::optional<Type> c = decoder.takeLastType(), b = decoder.takeLastType(), a = decoder.takeLastType(),
                      d = decoder.takeLastType();
  if (!a || !b || !c || !d || !c->is(Type::Float, 4) || !d->is(Type::Float, 4) || a->bytes != 2 || !a->isFloat() ||
      !b->is(a->kind, 2))
    return decoder.fail("only products of two f16 or two bf16 matrices with sums in f32 are supported");
  decoder.out.flow = Instruction::RequiresDefined;
  constexpr Type number = {Type::Bits, 4};
  auto result = [&](const Operand &part, Row &row) { return decoder.destination(part, number, row); };
  auto take = [&](const Operand &part, Row &row) { return decoder.source(part, number, row); };
  if (!decoder.expectOperands(4) || !takeVector(decoder, 0, 4, result) || !takeVector(decoder, 1, deep ? 4 : 2, take) ||
      !takeVector(decoder, 2, deep ? 2 : 1, take) || !takeVector(decoder, 3, 4, take))
    return false;
  if (a->kind == Type::Float)
    return decoder.finish(deep ? multiplyMatrices<Half, 16> : multiplyMatrices<Half, 8>);
  return decoder.finish(deep ? multiplyMatrices<BFloat, 16> : multiplyMatrices<BFloat, 8>);
}
