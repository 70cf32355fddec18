// An RMS norm whose input and result have 32 MiB each, more than the caches of most CPUs.
func.func @k0(%x: tensor<8192x1024xf32> {bufferization.writable = false}, %scale: tensor<1024xf32> {bufferization.writable = false},
              %out: tensor<8192x1024xf32> {bufferization.writable = true}) -> tensor<8192x1024xf32>
    attributes {heddle.kernel} {
  %0 = heddle.rms_norm %x scale(%scale) : (tensor<8192x1024xf32>, tensor<1024xf32>) -> tensor<8192x1024xf32>
  return %0 : tensor<8192x1024xf32>
}
