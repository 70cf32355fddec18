// The option `strategy` of --heddle-pipeline accepts several strategies, and knobs by their earlier and current names
// (`ahead` is the earlier name of `prefetch_panels`). An unknown CPU and an unsupported target are errors.
// DEFINE: %{tile} = heddle-opt %s --heddle-pipeline
// RUN: %{tile}="to=tile mcpu=x86-64-v4 strategy={{linear=linear-packed:panel=32,ahead=0}}" | FileCheck %s
// RUN: %{tile}="to=tile mcpu=x86-64-v4 strategy={{linear=linear-packed:panel=32,prefetch_panels=0},softmax=softmax-rows}" | FileCheck %s
// RUN: not %{tile}="to=tile mcpu=pentagon" 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not %{tile}="to=tile target=riscv64-linux-gnu" 2>&1 | FileCheck %s --check-prefix=TRIPLE
// CHECK: heddle.chosen = {knobs = {interleaved = 0 : i64, panel = 32 : i64, {{.*}}prefetch_panels = 0 : i64, {{.*}}vector_bits = 512 : i64, {{.*}}}, name = "linear-packed"
// CPU: --mcpu: unknown CPU pentagon
// TRIPLE: --target: expected x86_64 or aarch64 with ELF objects, 64-bit pointers and Linux, found riscv64
func.func @main(%x: tensor<40x37xf32>) -> tensor<40x64xf32> {
  %w = heddle.weight "w" : tensor<37x64xf32>
  %0 = heddle.linear %x, %w : (tensor<40x37xf32>, tensor<37x64xf32>) -> tensor<40x64xf32>
  return %0 : tensor<40x64xf32>
}
