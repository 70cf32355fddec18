// Linear layers of bf16 whose weights, biases and residuals are slices, reshapes and transpositions of inputs. The
// rows that a layer multiplies are an input of the model or the result of another layer.
func.func @main(%x: tensor<5x48xbf16>, %w: tensor<2x48x48xbf16>, %long: tensor<2304xbf16>, %t: tensor<48x48xbf16>,
                %b: tensor<96xbf16>, %r: tensor<9x48xbf16>)
    -> (tensor<5x48xbf16>, tensor<5x48xbf16>, tensor<5x48xbf16>, tensor<5x48xbf16>, tensor<5x48xbf16>) {
  %slice = tensor.extract_slice %w[1, 0, 0] [1, 48, 48] [1, 1, 1] : tensor<2x48x48xbf16> to tensor<48x48xbf16>
  %reshape = tensor.expand_shape %long [[0, 1]] output_shape [48, 48] : tensor<2304xbf16> into tensor<48x48xbf16>
  %e = tensor.empty() : tensor<48x48xbf16>
  %transposed = linalg.transpose ins(%t : tensor<48x48xbf16>) outs(%e : tensor<48x48xbf16>) permutation = [1, 0]
  %bias = tensor.extract_slice %b[40] [48] [1] : tensor<96xbf16> to tensor<48xbf16>
  %residual = tensor.extract_slice %r[3, 0] [5, 48] [1, 1] : tensor<9x48xbf16> to tensor<5x48xbf16>
  %0 = heddle.linear %x, %slice bias(%bias) residual(%residual) activation(gelu)
    : (tensor<5x48xbf16>, tensor<48x48xbf16>, tensor<48xbf16>, tensor<5x48xbf16>) -> tensor<5x48xbf16>
  %1 = heddle.linear %0, %reshape : (tensor<5x48xbf16>, tensor<48x48xbf16>) -> tensor<5x48xbf16>
  %2 = heddle.linear %x, %transposed bias(%bias) : (tensor<5x48xbf16>, tensor<48x48xbf16>, tensor<48xbf16>) -> tensor<5x48xbf16>
  %3 = heddle.linear %0, %transposed : (tensor<5x48xbf16>, tensor<48x48xbf16>) -> tensor<5x48xbf16>
  %4 = heddle.linear %1, %slice residual(%residual) : (tensor<5x48xbf16>, tensor<48x48xbf16>, tensor<5x48xbf16>) -> tensor<5x48xbf16>
  return %0, %1, %2, %3, %4 : tensor<5x48xbf16>, tensor<5x48xbf16>, tensor<5x48xbf16>, tensor<5x48xbf16>, tensor<5x48xbf16>
}
