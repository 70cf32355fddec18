// RUN: heddle-opt %s --heddle-tile=%{avx512} | FileCheck %s
// RUN: heddle-opt %s --heddle-tile | FileCheck %s --check-prefix=PLAIN
// RUN: heddle-opt %s --heddle-tile="%{avx512} strategy=linear=linear-packed:panel=16" | FileCheck %s --check-prefix=KNOB
// RUN: not heddle-opt %s --heddle-tile="%{avx512} strategy=linear=linear-packed:panel=17" 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: not heddle-opt %s --heddle-tile="%{avx512} strategy=linear=linear-packed:pannel=16" 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: heddle-opt %s --heddle-tile="%{avx512} strategy=linear=linear-packed:vector_bits=256" | FileCheck %s --check-prefix=BITS
// RUN: not heddle-opt %s --heddle-tile="limits=vector_bits=256 strategy=linear=linear-packed:vector_bits=512" 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: not heddle-opt %s --heddle-tile=strategy=linear=fast 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not heddle-opt %s --heddle-tile=strategy=linear 2>&1 | FileCheck %s --check-prefix=SYNTAX

// heddle-tile chooses the strategy of a kernel and the values of its knobs by defaults that depend on target facts
// (properties of the CPU), or by the option `strategy`. Errors in this option must be reported. The chosen strategy
// also determines how the weight is packed: the caller of the kernel gets a recipe (`via`) for the packed weight.
// CHECK: func.func private @k0({{.*}}: tensor<2x64xf32>, {{.*}}: tensor<3x64x48xf32>,
// CHECK-SAME: heddle.chosen = {knobs = {{[{].*}}panel = 48 : i64,{{.*}}vector_bits = 512 : i64, vector_registers = 32 : i64}, name = "linear-packed", op = "linear"}
// CHECK: heddle.weight "w" via [#heddle.pack<48>] : tensor<3x64x48xf32>
// PLAIN: panel = 16 : i64,{{.*}} name = "linear-packed"
// KNOB: panel = 16 : i64,{{.*}}vector_bits = 512
// KNOB: heddle.weight "w" via [#heddle.pack<16>] : tensor<7x64x16xf32>
// VALUE: error: strategy linear-packed: knob `panel` must be one of [16, 32, 48, 64], found 17
// NAME: error: strategy linear-packed has no knob `pannel`

// If a knob has the name of a target fact, the user's value of the knob determines the defaults of other knobs as the
// fact would, and the value must not exceed the fact.
// BITS: panel = 16 : i64,{{.*}}vector_bits = 256 : i64
// WIDE: error: strategy linear-packed: knob `vector_bits` is at most 256 on this CPU, found 512
// UNKNOWN: error: no strategy is called fast for linear
// SYNTAX: error: expected OP=NAME or OP=FILE, optionally followed by :knob=value,...; found 'linear'
func.func private @k0(%x: tensor<2x64xf32>, %w: tensor<64x100xf32>,
                      %out: tensor<2x100xf32> {bufferization.writable = true}) -> tensor<2x100xf32>
    attributes {heddle.kernel} {
  %0 = heddle.linear %x, %w : (tensor<2x64xf32>, tensor<64x100xf32>) -> tensor<2x100xf32>
  return %0 : tensor<2x100xf32>
}
func.func @main(%x: tensor<2x64xf32>) -> tensor<2x100xf32> {
  %w = heddle.weight "w" : tensor<64x100xf32>
  %out = tensor.empty() : tensor<2x100xf32>
  %0 = call @k0(%x, %w, %out) : (tensor<2x64xf32>, tensor<64x100xf32>, tensor<2x100xf32>) -> tensor<2x100xf32>
  return %0 : tensor<2x100xf32>
}
