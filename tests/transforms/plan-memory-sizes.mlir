// RUN: heddle-opt %s --heddle-plan-memory --canonicalize --cse | FileCheck %s

// %f, whose size is fixed, is at offset 64, after the call header (the first bytes of the arena, which contain the
// sizes of the call). The buffers whose sizes depend on `rows` follow. %a and %c share 256 bytes for each row, since %a
// is not used after %c is written; %b has another 256 bytes for each row. Offsets are rounded up to cache lines, so a
// line of 64 bytes is reserved for each of the three buffers. The attribute states the size of the arena: 320 bytes and
// another 512 bytes for each row (placeholder 4001).
// CHECK: heddle.arena_size = array<i64: 320, 512, 4001>
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[ARENA:[a-z0-9]*]]: memref<2048832xi8> {heddle.arena}
// CHECK-NOT: memref.alloc
// CHECK: memref.view %[[ARENA]][%c64]
// CHECK: memref.view %[[ARENA]][%c128]
// CHECK: %[[ROWS:.*]] = heddle.size "rows"
// CHECK: %[[BYTES:.*]] = arith.muli %[[ROWS]], %c256
// CHECK: %[[LINES:.*]] = arith.ceildivui %[[BYTES]], %c64
// CHECK: %[[LENGTH:.*]] = arith.muli %[[LINES]], %c64
// CHECK: %[[SECOND:.*]] = arith.addi %[[LENGTH]], %c256
// CHECK: memref.view %[[ARENA]][%[[SECOND]]]
// CHECK: memref.view %[[ARENA]][%c192]
module attributes {heddle.sizes = [{name = "rows", low = 1, high = 9, placeholder = 4001}]} {
  func.func @main(%x: memref<4001x64xf32>, %y: memref<4001x64xf32> {heddle.result = 0 : i64}) {
    %f = memref.alloc() : memref<16xf32>
    func.call @k1(%f) : (memref<16xf32>) -> ()
    %a = memref.alloc() : memref<4001x64xf32>
    func.call @k0(%x, %a) : (memref<4001x64xf32>, memref<4001x64xf32>) -> ()
    %b = memref.alloc() : memref<4001x64xf32>
    func.call @k0(%a, %b) : (memref<4001x64xf32>, memref<4001x64xf32>) -> ()
    %c = memref.alloc() : memref<4001x64xf32>
    func.call @k0(%b, %c) : (memref<4001x64xf32>, memref<4001x64xf32>) -> ()
    func.call @k0(%c, %y) : (memref<4001x64xf32>, memref<4001x64xf32>) -> ()
    return
  }
  // CHECK-LABEL: func.func private @k0(
  // CHECK-SAME: {heddle.arena}
  func.func private @k0(%x: memref<4001x64xf32>, %y: memref<4001x64xf32>) {
    memref.copy %x, %y : memref<4001x64xf32> to memref<4001x64xf32>
    return
  }
  func.func private @k1(%x: memref<16xf32>) {
    return
  }
}
