// RUN: heddle-opt %s --pass-pipeline="builtin.module(gpu.module(heddle-convert-to-nvvm))" | FileCheck %s

// A GPU module becomes LLVM functions, which LLVM compiles to PTX.

// CHECK: gpu.module @device
gpu.module @device {
  // CHECK: llvm.mlir.global external @workgroup_memory() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
  memref.global @workgroup_memory : memref<0xi8, #gpu.address_space<workgroup>> {alignment = 16 : i64}

  // Math functions become instructions, without calls of NVIDIA's device library (__nv_...).
  // CHECK-NOT: __nv_
  // CHECK: llvm.func @math(%{{.*}}: !llvm.ptr, %{{.*}}: f32) attributes {gpu.kernel, gpu.known_block_size = array<i32: 64, 1, 1>, nvvm.kernel, nvvm.minctasm = 1 : i32, nvvm.reqntid = array<i32: 64, 1, 1>}
  // CHECK: llvm.intr.sqrt
  // CHECK: llvm.intr.fabs
  // CHECK: llvm.intr.fma
  // CHECK: llvm.intr.maxnum
  // CHECK: llvm.frem
  // CHECK: nvvm.barrier
  // CHECK-NOT: __nv_
  gpu.func @math(%m: memref<8xf32>, %x: f32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %zero = arith.constant 0 : index
    %a = math.sqrt %x : f32
    %b = math.absf %a : f32
    %c = math.fma %a, %b, %x : f32
    %d = arith.maxnumf %c, %x : f32
    %e = arith.remf %d, %x : f32
    gpu.barrier
    memref.store %e, %m[%zero] : memref<8xf32>
    gpu.return
  }
  // Indices have 32 bits. Private buffers are allocated in the first block of the kernel, so that a loop does not
  // allocate them again. The global array of workgroup memory becomes an address.
  // CHECK: llvm.func @memory
  // CHECK: llvm.alloca
  // CHECK: llvm.mlir.addressof @workgroup_memory : !llvm.ptr<3>
  // CHECK: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x {{.*}}: i32
  // CHECK: ^
  // CHECK-NOT: llvm.alloca
  gpu.func @memory(%m: memref<8x16xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %array = memref.get_global @workgroup_memory : memref<0xi8, #gpu.address_space<workgroup>>
    %offset = arith.constant 16 : index
    %shared = memref.view %array[%offset][] : memref<0xi8, #gpu.address_space<workgroup>> to memref<32xf32, #gpu.address_space<workgroup>>
    %thread = gpu.thread_id x
    cf.br ^body
  ^body:
    %own = memref.alloca() : memref<2xf32>
    %x = memref.load %m[%thread, %thread] : memref<8x16xf32>
    memref.store %x, %own[%thread] : memref<2xf32>
    memref.store %x, %shared[%thread] : memref<32xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}
