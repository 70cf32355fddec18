// RUN: heddle-opt %s --heddle-tile="target=cuda strategy=linear=linear-tiles" | FileCheck %s --check-prefix=OWN
// RUN: heddle-opt %s --heddle-tile="target=cuda limits=workgroup_threads=128 strategy=linear=linear-tiles" | FileCheck %s --check-prefix=HALF
// RUN: heddle-opt %s --heddle-tile="target=cuda limits=workgroup_threads=64 strategy=linear=linear-tiles" | FileCheck %s --check-prefix=QUARTER
// RUN: not heddle-opt %s --heddle-tile="target=cuda limits=workgroup_threads=32 strategy=linear=linear-tiles" 2>&1 | FileCheck %s --check-prefix=FEW

// A workgroup has no more threads than the device allows: the number of warps is halved until the threads fit. The
// block (the part of the result that a workgroup computes, here 128 x 128) is halved, too, if a lane would otherwise
// have more than 128 sums. The strategy needs at least 64 threads.
// OWN: memory_space = #heddle.fragments<#heddle.fma<f32>, 4 x 2>} : tensor<128x128xf32>
// HALF: memory_space = #heddle.fragments<#heddle.fma<f32>, 2 x 2>} : tensor<128x128xf32>
// QUARTER: memory_space = #heddle.fragments<#heddle.fma<f32>, 1 x 2>} : tensor<64x128xf32>
// FEW: error: strategy linear-tiles: knob `threads` is at most 32 on this device, found 64
func.func @kernel(%x: tensor<2048x512xf32>, %w: tensor<512x2048xf32>,
                  %out: tensor<2048x2048xf32> {bufferization.writable = true}) -> tensor<2048x2048xf32>
    attributes {heddle.kernel} {
  %0 = heddle.linear %x, %w : (tensor<2048x512xf32>, tensor<512x2048xf32>) -> tensor<2048x2048xf32>
  return %0 : tensor<2048x2048xf32>
}
