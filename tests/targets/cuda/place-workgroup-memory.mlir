// RUN: heddle-opt %s --heddle-place-workgroup-memory --split-input-file --verify-diagnostics | FileCheck %s

// The buffers of a kernel in workgroup memory are placed one after the other in one array, at multiples of 16 bytes. A
// launch passes the total number of bytes.
// CHECK-LABEL: module attributes {gpu.container_module}
module attributes {gpu.container_module} {
  // CHECK: memref.global @workgroup_memory : memref<0xi8, #gpu.address_space<workgroup>> {alignment = 16 : i64}
  // CHECK-NOT: memref.global
  gpu.module @device {
    // CHECK: gpu.func @two
    // CHECK: %[[ARRAY:.*]] = memref.get_global @workgroup_memory
    // CHECK: %[[FIRST:.*]] = arith.constant 0 : index
    // CHECK: memref.view %[[ARRAY]][%[[FIRST]]][] : {{.*}} to memref<3xf32, #gpu.address_space<workgroup>>
    // CHECK: %[[SECOND:.*]] = arith.constant 16 : index
    // CHECK: memref.view %[[ARRAY]][%[[SECOND]]][] : {{.*}} to memref<2xvector<4xf32>, #gpu.address_space<workgroup>>
    // CHECK: %[[THIRD:.*]] = arith.constant 48 : index
    // CHECK: memref.view %[[ARRAY]][%[[THIRD]]][] : {{.*}} to memref<5xi1, #gpu.address_space<workgroup>>
    gpu.func @two(%m: memref<8xf32>) kernel {
      %a = memref.alloc() : memref<3xf32, #gpu.address_space<workgroup>>
      %b = memref.alloc() : memref<2xvector<4xf32>, #gpu.address_space<workgroup>>
      %c = memref.alloc() : memref<5xi1, #gpu.address_space<workgroup>>
      gpu.return
    }
    // CHECK: gpu.func @none
    // CHECK-NOT: memref.get_global
    gpu.func @none(%m: memref<8xf32>) kernel {
      gpu.return
    }
  }
  // CHECK: func.func @main
  // CHECK: %[[BYTES:.*]] = arith.constant 64 : i32
  // CHECK: gpu.launch_func @device::@two {{.*}} dynamic_shared_memory_size %[[BYTES]]
  // CHECK: gpu.launch_func @device::@none
  // CHECK-NOT: dynamic_shared_memory_size
  func.func @main(%m: memref<8xf32>) {
    %one = arith.constant 1 : index
    gpu.launch_func @device::@two blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%m : memref<8xf32>)
    gpu.launch_func @device::@none blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%m : memref<8xf32>)
    return
  }
}

// -----

// Only buffers of integers, indices, floats, or vectors of these can be placed in workgroup memory.
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @complex() kernel {
      // expected-error @+1 {{cannot be placed in workgroup memory}}
      %a = memref.alloc() : memref<3xcomplex<f32>, #gpu.address_space<workgroup>>
      gpu.return
    }
  }
}
