// RUN: heddle-opt %s --split-input-file --heddle-plan-memory="workgroups=1 alignment=256" --canonicalize --cse --verify-diagnostics | FileCheck %s

// On a device, buffers in the arena have fixed offsets, with space for the largest sizes, here 9 rows. A buffer that is
// allocated in a loop over workgroups is in workgroup memory and not part of the arena.
// CHECK: heddle.arena_size = 4864
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[ARENA:[a-z0-9]*]]: memref<4864xi8> {heddle.arena}
// CHECK-NOT: heddle.size
// CHECK: memref.view %[[ARENA]][%c256][] : memref<4864xi8> to memref<4001x64xf32>
// CHECK: memref.view %[[ARENA]][%c2560][] : memref<4864xi8> to memref<4001x64xf32>
// CHECK-LABEL: func.func private @k0(
// CHECK: memref.alloc() : memref<16xf32>
module attributes {heddle.sizes = [{name = "rows", low = 1, high = 9, placeholder = 4001}]} {
  func.func @main(%x: memref<4001x64xf32>, %y: memref<4001x64xf32> {heddle.result = 0 : i64}) {
    %a = memref.alloc() : memref<4001x64xf32>
    func.call @k0(%x, %a) : (memref<4001x64xf32>, memref<4001x64xf32>) -> ()
    %b = memref.alloc() : memref<4001x64xf32>
    func.call @k0(%a, %b) : (memref<4001x64xf32>, memref<4001x64xf32>) -> ()
    func.call @k0(%b, %y) : (memref<4001x64xf32>, memref<4001x64xf32>) -> ()
    return
  }
  func.func private @k0(%x: memref<4001x64xf32>, %y: memref<4001x64xf32>) {
    %rows = heddle.size "rows"
    scf.forall (%i) in (%rows) {
      %tile = memref.alloc() : memref<16xf32>
      %part = memref.subview %x[%i, 0] [1, 16] [1, 1] : memref<4001x64xf32> to memref<16xf32, strided<[1], offset: ?>>
      memref.copy %part, %tile : memref<16xf32, strided<[1], offset: ?>> to memref<16xf32>
    }
    return
  }
}

// -----

// The size of a buffer in workgroup memory must be constant.
module attributes {heddle.sizes = [{name = "columns", low = 1, high = 9, placeholder = 4001}]} {
  func.func @main() {
    return
  }
  func.func private @k0(%y: memref<4xf32>) {
    // expected-error @below {{a task needs a buffer of a size that is not fixed, which is not supported}}
    scf.forall (%i) in (4) {
      %tile = memref.alloc() : memref<4001xf32>
      %part = memref.subview %tile[0] [4] [1] : memref<4001xf32> to memref<4xf32, strided<[1]>>
      memref.copy %part, %y : memref<4xf32, strided<[1]>> to memref<4xf32>
    }
    return
  }
}
