// RUN: heddle-opt %s --heddle-order-globals | FileCheck %s
// RUN: heddle-opt %s --heddle-order-globals | heddle-opt --heddle-order-globals | FileCheck %s

// Bufferization creates constants in an order that varies from run to run. The pass makes their order and names depend
// only on their uses: it places constants in the reverse order of their first uses, and numbers them in the order of
// these uses. Constants without uses remain. A second run of the pass changes nothing.
// CHECK: memref.global "private" constant @c_2 : memref<3xf32> = dense<3.0
// CHECK: memref.global "private" constant @c_0 : memref<2xf32> = dense<1.0
// CHECK: memref.global "private" constant @c : memref<2xf32> = dense<2.0
// CHECK: memref.global "private" constant @c_1 : memref<2xf32> = dense<9.0
memref.global "private" constant @c_1 : memref<2xf32> = dense<9.0>
memref.global "private" constant @c_0 : memref<2xf32> = dense<2.0>
memref.global "private" constant @c_3 : memref<3xf32> = dense<3.0>
memref.global "private" constant @c : memref<2xf32> = dense<1.0>

// CHECK-LABEL: func.func @first
// CHECK: memref.get_global @c : memref<2xf32>
// CHECK: memref.get_global @c_0 : memref<2xf32>
func.func @first() -> (memref<2xf32>, memref<2xf32>) {
  %two = memref.get_global @c_0 : memref<2xf32>
  %one = memref.get_global @c : memref<2xf32>
  return %two, %one : memref<2xf32>, memref<2xf32>
}

// CHECK-LABEL: func.func @second
// CHECK: memref.get_global @c : memref<2xf32>
// CHECK: memref.get_global @c_2 : memref<3xf32>
func.func @second() -> (memref<2xf32>, memref<3xf32>) {
  %two = memref.get_global @c_0 : memref<2xf32>
  %three = memref.get_global @c_3 : memref<3xf32>
  return %two, %three : memref<2xf32>, memref<3xf32>
}
