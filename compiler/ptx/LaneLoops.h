//===- LaneLoops.h - loops over the 32 lanes of a warp ----------*- C++ -*-===//
//
// Each loop computes results in all lanes, because C++ compilers can vectorise
// such a loop, and then stores the results of the active lanes. Therefore
// operations must not trap for any value of an inactive lane.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PTX_LANELOOPS_H
#define HEDDLE_PTX_LANELOOPS_H

#include "Warp.h"

#include <cmath>

namespace heddle::ptx {

/// Executes d = op(a), where a has type `T` and the result has type `R`.
template <typename R, typename T, typename Op> void unary(Warp &warp, const Instruction &instruction, Lanes lanes) {
  R results[warpSize];
  const T *a = warp.row<T>(instruction.a);
  for (unsigned lane = 0; lane < warpSize; ++lane)
    results[lane] = Op()(a[lane]);
  warp.set(instruction.d, results, lanes);
}

/// Executes d = op(a, b).
template <typename T, typename Op> void binary(Warp &warp, const Instruction &instruction, Lanes lanes) {
  T results[warpSize];
  const T *a = warp.row<T>(instruction.a), *b = warp.row<T>(instruction.b);
  for (unsigned lane = 0; lane < warpSize; ++lane)
    results[lane] = Op()(a[lane], b[lane]);
  warp.set(instruction.d, results, lanes);
}

/// Executes d = op(a, b, c).
template <typename T, typename Op> void ternary(Warp &warp, const Instruction &instruction, Lanes lanes) {
  T results[warpSize];
  const T *a = warp.row<T>(instruction.a), *b = warp.row<T>(instruction.b), *c = warp.row<T>(instruction.c);
  for (unsigned lane = 0; lane < warpSize; ++lane)
    results[lane] = Op()(a[lane], b[lane], c[lane]);
  warp.set(instruction.d, results, lanes);
}

/// Executes d = op(a, b), where the result has type `R`, which is larger than the type `T` of a and b.
template <typename R, typename T, typename Op>
void binaryWide(Warp &warp, const Instruction &instruction, Lanes lanes) {
  R results[warpSize];
  const T *a = warp.row<T>(instruction.a), *b = warp.row<T>(instruction.b);
  for (unsigned lane = 0; lane < warpSize; ++lane)
    results[lane] = Op()(a[lane], b[lane]);
  warp.set(instruction.d, results, lanes);
}

/// Packs 32 bytes that are 0 or 1 into a bit mask: bit i of the result is bytes[i].
inline Lanes packLanes(const uint8_t *bytes) {
  Lanes lanes = 0;
  for (unsigned part = 0; part < 4; ++part) {
    uint64_t eight;
    std::memcpy(&eight, bytes + 8 * part, 8);
    lanes |= Lanes(eight * 0x0102040810204080 >> 56) << 8 * part; // the product moves bit 0 of byte i to bit 56 + i
  }
  return lanes;
}

/// Sets the predicate `row` to `values` in the lanes `lanes`.
inline void setPredicate(Warp &warp, Row row, Lanes values, Lanes lanes) {
  Lanes &predicate = warp.predicate(row);
  predicate = (predicate & ~lanes) | (values & lanes);
}

/// Returns `Pick<T>::loop` for an integer type of 16, 32 or 64 bits, signed or unsigned, and null for other types.
template <template <typename> class Pick> Execute pickInteger(Type type) {
  bool isSigned = type.isSigned();
  switch (type.isInteger() && !type.pair ? type.bytes : 0) {
  case 2:
    return isSigned ? Pick<int16_t>::loop : Pick<uint16_t>::loop;
  case 4:
    return isSigned ? Pick<int32_t>::loop : Pick<uint32_t>::loop;
  case 8:
    return isSigned ? Pick<int64_t>::loop : Pick<uint64_t>::loop;
  }
  return nullptr;
}

/// Computes `Op` with the semantics of .ftz: denormal operands and results become zeros of the same sign.
template <typename Op> struct Flushed {
  static float flush(float value) { return std::fabs(value) < 0x1p-126f ? std::copysign(0.0f, value) : value; }
  template <typename... T> float operator()(T... operands) const { return flush(Op()(flush(operands)...)); }
};

} // namespace heddle::ptx

#endif // HEDDLE_PTX_LANELOOPS_H
