// RUN: heddle-opt %s --heddle-tile="%{avx512},prefetch_rows=8,prefetch_cache=2" | FileCheck %s --check-prefix=LIMITS
// RUN: heddle-opt %s --heddle-tile="%{avx512}" | FileCheck %s --check-prefix=OWN
// RUN: heddle-opt %s --heddle-tile="%{avx512},prefetch_rows=8,prefetch_cache=2 strategy=linear=linear-packed:prefetch_rows=17" \
// RUN:   | FileCheck %s --check-prefix=CHOSEN
// RUN: heddle-opt %s --heddle-tile="%{avx512},prefetch_rows=11" | FileCheck %s --check-prefix=NEAREST
// RUN: not heddle-opt %s --heddle-tile="limits=prefetch_rows" 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not heddle-opt %s --heddle-tile="limits=prefetch_row=8" 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// A target fact, a property of the CPU that `limits` sets here, is the default of the knob that has its name. Here
// prefetch_rows is the minimum number of rows for which the weight is prefetched, and prefetch_cache is the level of
// the cache into which it is prefetched. A value in the option `strategy` takes precedence.
// LIMITS: attrs = {heddle.prefetch = 2 : i64}
// OWN-NOT: heddle.prefetch
// CHOSEN-NOT: attrs = {heddle.prefetch
// If the value of the fact is not one of the knob's options, the nearest option is the default.
// NEAREST: attrs = {heddle.prefetch = 3 : i64}
// WRONG: error: limits: expected NAME=INTEGER, found prefetch_rows
// UNKNOWN: error: limits: there is no target fact `prefetch_row`; the target facts are vector_bits, {{.*}}, part_workgroups{{$}}
func.func private @k0(%x: tensor<12x64xf32>, %w: tensor<64x96xf32>,
                      %out: tensor<12x96xf32> {bufferization.writable = true}) -> tensor<12x96xf32> attributes {heddle.kernel} {
  %0 = heddle.linear %x, %w : (tensor<12x64xf32>, tensor<64x96xf32>) -> tensor<12x96xf32>
  return %0 : tensor<12x96xf32>
}
func.func @main(%x: tensor<12x64xf32>, %out: tensor<12x96xf32>) -> tensor<12x96xf32> {
  %w = heddle.weight "w" : tensor<64x96xf32>
  %0 = call @k0(%x, %w, %out) : (tensor<12x64xf32>, tensor<64x96xf32>, tensor<12x96xf32>) -> tensor<12x96xf32>
  return %0 : tensor<12x96xf32>
}
