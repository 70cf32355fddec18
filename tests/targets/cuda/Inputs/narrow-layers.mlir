// Layers whose tensors are all bf16. The rows of all sentences of a batch are the rows of a layer. `active` says
// which of them are computed.
#row = affine_map<(b, s, d) -> (b, s)>
#all = affine_map<(b, s, d) -> (b, s, d)>
func.func @main(%x: tensor<?x?x36xbf16> {heddle.name = "x", heddle.dims = ["b", "s", ""]},
                %active: tensor<?x?xi1> {heddle.name = "active", heddle.dims = ["b", "s"]},
                %scale: tensor<36xbf16> {heddle.name = "scale"}, %bias: tensor<36xbf16> {heddle.name = "bias"},
                %weight: tensor<36x24xbf16> {heddle.name = "weight"}, %shift: tensor<24xbf16> {heddle.name = "shift"},
                %up: tensor<36x50xbf16> {heddle.name = "up"}, %down: tensor<50x36xbf16> {heddle.name = "down"})
    -> (tensor<?x?x36xbf16> {heddle.name = "norm"}, tensor<?x?x24xbf16> {heddle.name = "probabilities"},
        tensor<?x?x36xbf16> {heddle.name = "ffn"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : bf16
  %b = tensor.dim %x, %c0 : tensor<?x?x36xbf16>
  %s = tensor.dim %x, %c1 : tensor<?x?x36xbf16>
  %sum = heddle.layer_norm %x scale(%scale) bias(%bias) residual(%x)
      : (tensor<?x?x36xbf16>, tensor<36xbf16>, tensor<36xbf16>, tensor<?x?x36xbf16>) -> tensor<?x?x36xbf16>
  %rows = tensor.empty(%b, %s) : tensor<?x?x36xbf16>
  %norm = linalg.generic {indexing_maps = [#row, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%active, %sum : tensor<?x?xi1>, tensor<?x?x36xbf16>) outs(%rows : tensor<?x?x36xbf16>) {
  ^bb0(%is: i1, %value: bf16, %old: bf16):
    %kept = arith.select %is, %value, %zero : bf16
    linalg.yield %kept : bf16
  } -> tensor<?x?x36xbf16>
  %scores = heddle.linear %norm, %weight bias(%shift) activation(gelu)
      : (tensor<?x?x36xbf16>, tensor<36x24xbf16>, tensor<24xbf16>) -> tensor<?x?x24xbf16>
  %empty = tensor.empty(%b, %s) : tensor<?x?x24xbf16>
  %probabilities = linalg.softmax dimension(2) ins(%scores : tensor<?x?x24xbf16>) outs(%empty : tensor<?x?x24xbf16>)
      -> tensor<?x?x24xbf16>
  %ffn = heddle.ffn %norm, %up, %down residual(%x) activation(silu)
      : (tensor<?x?x36xbf16>, tensor<36x50xbf16>, tensor<50x36xbf16>, tensor<?x?x36xbf16>) -> tensor<?x?x36xbf16>
  return %norm, %probabilities, %ffn : tensor<?x?x36xbf16>, tensor<?x?x24xbf16>, tensor<?x?x36xbf16>
}
