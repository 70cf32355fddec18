// Conversions from and to f16 and bf16. The results are bit patterns, so they are compared exactly.
func.func @main(%x: tensor<100003xi32> {heddle.name = "x", heddle.range = array<i64: -2147483648, 2147483647>})
    -> (tensor<100003xi32> {heddle.name = "f16"}, tensor<100003xi32> {heddle.name = "bf16"},
        tensor<100003xi32> {heddle.name = "f16_halfway"}, tensor<100003xi32> {heddle.name = "bf16_halfway"},
        tensor<100003xi32> {heddle.name = "f16_of_f64"}, tensor<100003xi32> {heddle.name = "bf16_of_f64"},
        tensor<65536xi32> {heddle.name = "of_f16"}, tensor<65536xi32> {heddle.name = "of_bf16"},
        tensor<65536xi64> {heddle.name = "f64_of_f16"}) {
  // The input is a bit pattern of f32. NaN is replaced by 0.
  %zero = arith.constant dense<0.0> : tensor<100003xf32>
  %any = arith.bitcast %x : tensor<100003xi32> to tensor<100003xf32>
  %nan = arith.cmpf uno, %any, %any : tensor<100003xf32>
  %number = arith.select %nan, %zero, %any : tensor<100003xi1>, tensor<100003xf32>
  %bits = arith.bitcast %number : tensor<100003xf32> to tensor<100003xi32>
  %0 = arith.truncf %number : tensor<100003xf32> to tensor<100003xf16>
  %f16_bits = arith.bitcast %0 : tensor<100003xf16> to tensor<100003xi16>
  %f16 = arith.extui %f16_bits : tensor<100003xi16> to tensor<100003xi32>
  %1 = arith.truncf %number : tensor<100003xf32> to tensor<100003xbf16>
  %bf16_bits = arith.bitcast %1 : tensor<100003xbf16> to tensor<100003xi16>
  %bf16 = arith.extui %bf16_bits : tensor<100003xi16> to tensor<100003xi32>

  // Numbers of magnitude 2^-28 to 2^36 with at most 12 significant bits. In the range of the normal f16 numbers, half
  // of them are halfway between two f16 numbers.
  %fewer = arith.constant dense<0x9FFFF000> : tensor<100003xi32>
  %least = arith.constant dense<0x31800000> : tensor<100003xi32>
  %few = arith.andi %x, %fewer : tensor<100003xi32>
  %moved = arith.addi %few, %least : tensor<100003xi32>
  %near = arith.bitcast %moved : tensor<100003xi32> to tensor<100003xf32>
  %2 = arith.truncf %near : tensor<100003xf32> to tensor<100003xf16>
  %f16_halfway_bits = arith.bitcast %2 : tensor<100003xf16> to tensor<100003xi16>
  %f16_halfway = arith.extui %f16_halfway_bits : tensor<100003xi16> to tensor<100003xi32>
  %upper = arith.constant dense<0xFFFF8000> : tensor<100003xi32>
  %between = arith.andi %bits, %upper : tensor<100003xi32>
  %b = arith.bitcast %between : tensor<100003xi32> to tensor<100003xf32>
  %3 = arith.truncf %b : tensor<100003xf32> to tensor<100003xbf16>
  %bf16_halfway_bits = arith.bitcast %3 : tensor<100003xbf16> to tensor<100003xi16>
  %bf16_halfway = arith.extui %bf16_halfway_bits : tensor<100003xi16> to tensor<100003xi32>

  // The numbers %near as f64, with -1, 0, 1 or 2 added to the bit pattern. Many of them are then just beside a number
  // that is halfway between two f16 numbers.
  %three = arith.constant dense<3> : tensor<100003xi32>
  %one = arith.constant dense<1> : tensor<100003xi64>
  %low = arith.andi %x, %three : tensor<100003xi32>
  %side = arith.extui %low : tensor<100003xi32> to tensor<100003xi64>
  %offset = arith.subi %side, %one : tensor<100003xi64>
  %wide = arith.extf %near : tensor<100003xf32> to tensor<100003xf64>
  %wideBits = arith.bitcast %wide : tensor<100003xf64> to tensor<100003xi64>
  %besideBits = arith.addi %wideBits, %offset : tensor<100003xi64>
  %beside = arith.bitcast %besideBits : tensor<100003xi64> to tensor<100003xf64>
  %4 = arith.truncf %beside : tensor<100003xf64> to tensor<100003xf16>
  %f16_of_f64_bits = arith.bitcast %4 : tensor<100003xf16> to tensor<100003xi16>
  %f16_of_f64 = arith.extui %f16_of_f64_bits : tensor<100003xi16> to tensor<100003xi32>
  %5 = arith.truncf %beside : tensor<100003xf64> to tensor<100003xbf16>
  %bf16_of_f64_bits = arith.bitcast %5 : tensor<100003xbf16> to tensor<100003xi16>
  %bf16_of_f64 = arith.extui %bf16_of_f64_bits : tensor<100003xi16> to tensor<100003xi32>

  // All f16 and bf16 numbers.
  %e = tensor.empty() : tensor<65536xi16>
  %all = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<65536xi16>) {
  ^bb0(%o: i16):
    %i = linalg.index 0 : index
    %w = arith.index_cast %i : index to i32
    %n = arith.trunci %w : i32 to i16
    linalg.yield %n : i16
  } -> tensor<65536xi16>
  %zeros = arith.constant dense<0.0> : tensor<65536xf32>
  %h = arith.bitcast %all : tensor<65536xi16> to tensor<65536xf16>
  %hw = arith.extf %h : tensor<65536xf16> to tensor<65536xf32>
  %hn = arith.cmpf uno, %hw, %hw : tensor<65536xf32>
  %hs = arith.select %hn, %zeros, %hw : tensor<65536xi1>, tensor<65536xf32>
  %of_f16 = arith.bitcast %hs : tensor<65536xf32> to tensor<65536xi32>
  %g = arith.bitcast %all : tensor<65536xi16> to tensor<65536xbf16>
  %gw = arith.extf %g : tensor<65536xbf16> to tensor<65536xf32>
  %gn = arith.cmpf uno, %gw, %gw : tensor<65536xf32>
  %gs = arith.select %gn, %zeros, %gw : tensor<65536xi1>, tensor<65536xf32>
  %of_bf16 = arith.bitcast %gs : tensor<65536xf32> to tensor<65536xi32>
  %zeros64 = arith.constant dense<0.0> : tensor<65536xf64>
  %hd = arith.extf %h : tensor<65536xf16> to tensor<65536xf64>
  %hds = arith.select %hn, %zeros64, %hd : tensor<65536xi1>, tensor<65536xf64>
  %f64_of_f16 = arith.bitcast %hds : tensor<65536xf64> to tensor<65536xi64>
  return %f16, %bf16, %f16_halfway, %bf16_halfway, %f16_of_f64, %bf16_of_f64, %of_f16, %of_bf16, %f64_of_f16
    : tensor<100003xi32>, tensor<100003xi32>, tensor<100003xi32>, tensor<100003xi32>, tensor<100003xi32>,
      tensor<100003xi32>, tensor<65536xi32>, tensor<65536xi32>, tensor<65536xi64>
}
