// Maxima and minima by arith.maxnumf and arith.minnumf, which ignore NaN: if one operand is NaN, the result is the
// other operand. The initial value is an input or a constant.
module attributes {heddle.source = "extrema"} {
  func.func @main(%x: tensor<19x37xf32> {heddle.name = "x"}, %ofRows: tensor<19xf32> {heddle.name = "of_rows"},
                  %ofColumns: tensor<37xf32> {heddle.name = "of_columns"})
      -> (tensor<19xf32> {heddle.name = "max_rows"}, tensor<37xf32> {heddle.name = "max_columns"},
          tensor<19xf32> {heddle.name = "min_rows"}, tensor<37xf32> {heddle.name = "min_columns"},
          tensor<19xf32> {heddle.name = "max_rows_from_number"}, tensor<37xf32> {heddle.name = "min_columns_from_number"},
          tensor<19xf32> {heddle.name = "max_rows_by_select"}, tensor<37xf32> {heddle.name = "max_from_nan"}) {
    %0 = linalg.reduce ins(%x : tensor<19x37xf32>) outs(%ofRows : tensor<19xf32>) dimensions = [1]
      (%in: f32, %acc: f32) {
        %m = arith.maxnumf %in, %acc : f32
        linalg.yield %m : f32
      }
    %1 = linalg.reduce ins(%x : tensor<19x37xf32>) outs(%ofColumns : tensor<37xf32>) dimensions = [0]
      (%in: f32, %acc: f32) {
        %m = arith.maxnumf %acc, %in : f32
        linalg.yield %m : f32
      }
    %2 = linalg.reduce ins(%x : tensor<19x37xf32>) outs(%ofRows : tensor<19xf32>) dimensions = [1]
      (%in: f32, %acc: f32) {
        %m = arith.minnumf %acc, %in : f32
        linalg.yield %m : f32
      }
    %3 = linalg.reduce ins(%x : tensor<19x37xf32>) outs(%ofColumns : tensor<37xf32>) dimensions = [0]
      (%in: f32, %acc: f32) {
        %m = arith.minnumf %in, %acc : f32
        linalg.yield %m : f32
      }
    %low = arith.constant -100.0 : f32
    %high = arith.constant 100.0 : f32
    %nan = arith.constant 0x7FC00000 : f32
    %emptyRows = tensor.empty() : tensor<19xf32>
    %emptyColumns = tensor.empty() : tensor<37xf32>
    %lows = linalg.fill ins(%low : f32) outs(%emptyRows : tensor<19xf32>) -> tensor<19xf32>
    %4 = linalg.reduce ins(%x : tensor<19x37xf32>) outs(%lows : tensor<19xf32>) dimensions = [1]
      (%in: f32, %acc: f32) {
        %m = arith.maxnumf %in, %acc : f32
        linalg.yield %m : f32
      }
    %highs = linalg.fill ins(%high : f32) outs(%emptyColumns : tensor<37xf32>) -> tensor<37xf32>
    %5 = linalg.reduce ins(%x : tensor<19x37xf32>) outs(%highs : tensor<37xf32>) dimensions = [0]
      (%in: f32, %acc: f32) {
        %m = arith.minnumf %in, %acc : f32
        linalg.yield %m : f32
      }
    // A term that is NaN is ignored here, too.
    %6 = linalg.reduce ins(%x : tensor<19x37xf32>) outs(%lows : tensor<19xf32>) dimensions = [1]
      (%in: f32, %acc: f32) {
        %above = arith.cmpf ogt, %in, %acc : f32
        %m = arith.select %above, %in, %acc : f32
        linalg.yield %m : f32
      }
    %nans = linalg.fill ins(%nan : f32) outs(%emptyColumns : tensor<37xf32>) -> tensor<37xf32>
    %7 = linalg.reduce ins(%x : tensor<19x37xf32>) outs(%nans : tensor<37xf32>) dimensions = [0]
      (%in: f32, %acc: f32) {
        %m = arith.maxnumf %in, %acc : f32
        linalg.yield %m : f32
      }
    return %0, %1, %2, %3, %4, %5, %6, %7
        : tensor<19xf32>, tensor<37xf32>, tensor<19xf32>, tensor<37xf32>, tensor<19xf32>, tensor<37xf32>,
          tensor<19xf32>, tensor<37xf32>
  }
}
