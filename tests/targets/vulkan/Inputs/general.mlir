// The operations of this model have no strategy of their own: elementwise operations with an optional mask, a
// transposition, a sum, and a lookup of elements of a constant by ids.
module attributes {heddle.source = "general"} {
  func.func @main(%x: tensor<2x7x39xf32> {heddle.name = "x"},
                  %ids: tensor<2x7xi64> {heddle.name = "ids", heddle.range = array<i64: 0, 6>},
                  %m: tensor<2x7xi1> {heddle.name = "m", heddle.default = 1 : i64})
      -> (tensor<2x39x7xf32> {heddle.name = "y"}, tensor<2x7xf32> {heddle.name = "z"}) {
    %zero = arith.constant 0.0 : f32
    %table = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]> : tensor<7xf32>
    %a = math.exp %x : tensor<2x7x39xf32>
    %e0 = tensor.empty() : tensor<2x39x7xf32>
    %t = linalg.transpose ins(%a : tensor<2x7x39xf32>) outs(%e0 : tensor<2x39x7xf32>) permutation = [0, 2, 1]
    %e1 = tensor.empty() : tensor<2x7xf32>
    %zeros = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2x7xf32>) -> tensor<2x7xf32>
    %sum = linalg.reduce ins(%x : tensor<2x7x39xf32>) outs(%zeros : tensor<2x7xf32>) dimensions = [2]
      (%in: f32, %acc: f32) {
        %s = arith.addf %in, %acc : f32
        linalg.yield %s : f32
      }
    %rows = linalg.generic {indexing_maps = [affine_map<(b, s) -> (b, s)>, affine_map<(b, s) -> (b, s)>],
                            iterator_types = ["parallel", "parallel"]}
        ins(%ids : tensor<2x7xi64>) outs(%e1 : tensor<2x7xf32>) {
    ^bb0(%id: i64, %o: f32):
      %i = arith.index_cast %id : i64 to index
      %v = tensor.extract %table[%i] : tensor<7xf32>
      linalg.yield %v : f32
    } -> tensor<2x7xf32>
    %p = arith.mulf %rows, %sum : tensor<2x7xf32>
    %f = arith.select %m, %p, %zeros : tensor<2x7xi1>, tensor<2x7xf32>
    return %t, %f : tensor<2x39x7xf32>, tensor<2x7xf32>
  }
}
