// RUN: heddle-opt %source/tests/strategies/Inputs/linear-rounded.mlir --heddle-tile="%{avx512} strategy=linear=linear-dots" | FileCheck %s
// RUN: heddle-opt %source/tests/strategies/Inputs/linear-rounded.mlir --heddle-tile="%{avx512},prefetch_cache=2 strategy=linear=linear-dots" | FileCheck %s --check-prefix=SECOND
// RUN: sed s/20x/12x/g %source/tests/strategies/Inputs/linear-rounded.mlir | heddle-opt --heddle-tile="%{avx512},prefetch_rows=17 strategy=linear=linear-dots" | FileCheck %s --check-prefix=FEW

// The row tiles of a layer of 20 rounded rows prefetch the next panel (neighbouring columns) of the weight into the
// first-level cache. A panel of 16 x 48 x 4 bytes has 48 cache lines. Two tiles of 10 rows prefetch 24 lines each
// during the 16 steps of their product: one line in each step, and one in every second step.
// CHECK: heddle.tile_product {{.*}} kind(#heddle.dot_bytes<unsigned = rows>) prefetch({{.*}} : tensor<16xi8>, tensor<8xi8>) every [1, 2] locality 3 : tensor<10x16x4xi8>
// SECOND: heddle.tile_product {{.*}} every {{.*}} locality 2 :
// A layer of 12 rows prefetches nothing if prefetching is worthwhile only from 17 rows on.
// FEW-NOT: prefetch(
// FEW: heddle.tile_product {{.*}} kind(#heddle.dot_bytes<unsigned = rows>) : tensor<
// FEW-NOT: prefetch(
