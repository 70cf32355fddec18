//===- LaneLoops.h - one operation in 32 lanes ------------------*- C++ -*-===//
//
// Results are computed in all lanes, which compilers make vectors of, and taken
// over in those that are active. So operations must be harmless for any value.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PTX_LANELOOPS_H
#define HEDDLE_PTX_LANELOOPS_H

#include "Warp.h"

namespace heddle::ptx {

/// d = op(a), of type `T` to `R`.
template <typename R, typename T, typename Op> void unary(Warp &warp, const Instruction &instruction, Lanes lanes) {
  R results[warpSize];
  const T *a = warp.row<T>(instruction.a);
  for (unsigned lane = 0; lane < warpSize; ++lane)
    results[lane] = Op()(a[lane]);
  warp.set(instruction.d, results, lanes);
}

/// d = op(a, b).
template <typename T, typename Op> void binary(Warp &warp, const Instruction &instruction, Lanes lanes) {
  T results[warpSize];
  const T *a = warp.row<T>(instruction.a), *b = warp.row<T>(instruction.b);
  for (unsigned lane = 0; lane < warpSize; ++lane)
    results[lane] = Op()(a[lane], b[lane]);
  warp.set(instruction.d, results, lanes);
}

/// d = op(a, b, c).
template <typename T, typename Op> void ternary(Warp &warp, const Instruction &instruction, Lanes lanes) {
  T results[warpSize];
  const T *a = warp.row<T>(instruction.a), *b = warp.row<T>(instruction.b), *c = warp.row<T>(instruction.c);
  for (unsigned lane = 0; lane < warpSize; ++lane)
    results[lane] = Op()(a[lane], b[lane], c[lane]);
  warp.set(instruction.d, results, lanes);
}

/// d = op(a), of two numbers to a larger one.
template <typename R, typename T, typename Op>
void binaryWide(Warp &warp, const Instruction &instruction, Lanes lanes) {
  R results[warpSize];
  const T *a = warp.row<T>(instruction.a), *b = warp.row<T>(instruction.b);
  for (unsigned lane = 0; lane < warpSize; ++lane)
    results[lane] = Op()(a[lane], b[lane]);
  warp.set(instruction.d, results, lanes);
}

/// The bits of those lanes whose byte is 1; all others are 0.
inline Lanes packLanes(const uint8_t *bytes) {
  Lanes lanes = 0;
  for (unsigned part = 0; part < 4; ++part) {
    uint64_t eight;
    std::memcpy(&eight, bytes + 8 * part, 8);
    lanes |= Lanes(eight * 0x0102040810204080 >> 56) << 8 * part;
  }
  return lanes;
}

/// Bits of predicates, in these lanes.
inline void setPredicate(Warp &warp, Row row, Lanes values, Lanes lanes) {
  Lanes &predicate = warp.predicate(row);
  predicate = (predicate & ~lanes) | (values & lanes);
}

/// loop<T>(), for integers of 16, 32 and 64 bits with or without a sign: what `Pick<T>::loop` is.
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

} // namespace heddle::ptx

#endif // HEDDLE_PTX_LANELOOPS_H
