// An attention layer with a key-value cache: a state that is kept between calls. Four query heads share two key-value
// heads. The layer appends its rows of key and value to the state after `past` rows, and attends to all rows so far.
func.func @main(
    %query: tensor<?x4x?x16xf32> {heddle.name = "query", heddle.dims = ["batch_size", "", "sequence_length", ""]},
    %key: tensor<?x2x?x16xf32> {heddle.name = "key", heddle.dims = ["batch_size", "", "sequence_length", ""]},
    %value: tensor<?x2x?x16xf32> {heddle.name = "value", heddle.dims = ["batch_size", "", "sequence_length", ""]},
    %past: tensor<?xi64> {heddle.name = "past", heddle.dims = ["batch_size"], heddle.state_past},
    %keys: tensor<?x2x?x16xf32> {heddle.state = "layer.0.key", heddle.dims = ["batch_size", "", "capacity", ""]},
    %values: tensor<?x2x?x16xf32> {heddle.state = "layer.0.value", heddle.dims = ["batch_size", "", "capacity", ""]})
    -> (tensor<?x4x?x16xf32> {heddle.name = "out"}, tensor<?x2x?x16xf32> {heddle.state = "layer.0.key"},
        tensor<?x2x?x16xf32> {heddle.state = "layer.0.value"}) {
  %all_keys = heddle.append %key into %keys at %past : tensor<?x2x?x16xf32> into tensor<?x2x?x16xf32>, tensor<?xi64>
  %all_values = heddle.append %value into %values at %past : tensor<?x2x?x16xf32> into tensor<?x2x?x16xf32>, tensor<?xi64>
  %axis = arith.constant 2 : index
  %new = tensor.dim %key, %axis : tensor<?x2x?x16xf32>
  %rows = arith.index_cast %new : index to i64
  %lengths = linalg.generic {indexing_maps = [affine_map<(b) -> (b)>, affine_map<(b) -> (b)>], iterator_types = ["parallel"]}
      ins(%past : tensor<?xi64>) outs(%past : tensor<?xi64>) {
  ^bb0(%before: i64, %ignored: i64):
    %length = arith.addi %before, %rows : i64
    linalg.yield %length : i64
  } -> tensor<?xi64>
  %out = heddle.attention %query, %all_keys, %all_values key_lengths(%lengths) causal(lower_right)
      : (tensor<?x4x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?xi64>) -> tensor<?x4x?x16xf32>
  return %out, %all_keys, %all_values : tensor<?x4x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>
}
