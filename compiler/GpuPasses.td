//===- GpuPasses.td - device passes of the stages loops and llvm -*- tablegen -*-===//
//
// Passes.td includes this file.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_GPUPASSES_TD
#define HEDDLE_GPUPASSES_TD

include "mlir/Pass/PassBase.td"

def LinalgToLoops : Pass<"heddle-linalg-to-loops", "::mlir::func::FuncOp"> {
  let summary = "Replaces linalg operations by loops, except operations on tiles";
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def KernelsToGpu : Pass<"heddle-kernels-to-gpu", "::mlir::ModuleOp"> {
  let summary = "Turns the kernels of heddle.launch into functions of a gpu.module";
  let description = [{
    Each thread executes its share of the iterations of a loop over threads and then waits at a barrier. Buffers that
    are allocated outside of these loops are in workgroup memory, except for buffers of which each thread accesses only
    its own part. The number of workgroups may depend on sizes. In this case, if `counts-workgroups` is set, a preceding
    kernel computes the number. If it is not set, as many workgroups as the largest sizes need are launched, and surplus
    workgroups return immediately.
  }];
  let options = [
    Option<"threads", "threads", "int64_t", "256", "the maximum number of threads in a workgroup">,
    Option<"subgroup", "subgroup", "int64_t", "0",
           "the number of threads that execute an instruction together; workgroups are multiples of it; 0: unknown">,
    Option<"countsWorkgroups", "counts-workgroups", "bool", "true",
           "whether a kernel may compute the number of workgroups of a later launch">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def WidenAccesses : Pass<"heddle-widen-accesses", "::mlir::ModuleOp"> {
  let summary = "Turns buffers of a gpu.module that are accessed by vectors of 128 bits into buffers of vectors";
  let description = [{
    SPIR-V loads and stores whole elements of a buffer, neither parts of an element nor several elements at once. The
    pass changes a buffer that is accessed by vectors, or by scalars that can share the loads of vectors. Its elements
    must have at least 32 bits, its rows must consist of whole vectors, all vectors must have 128 bits and offsets that
    are multiples of their length, and every store must write a vector. A scalar is then read from the vector that
    contains it. In other buffers, vectors become scalars. Launches cast the buffers that they pass to the new types of
    the kernel's parameters.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::vector::VectorDialect"];
}

def SetSpirvTarget : Pass<"heddle-set-spirv-target", "::mlir::ModuleOp"> {
  let summary = "Sets the SPIR-V version and workgroup sizes of a gpu.module, and rewrites code for the conversion";
  let dependentDialects = ["::mlir::spirv::SPIRVDialect"];
}

def DecorateSpirv : Pass<"heddle-decorate-spirv"> {
  let summary = "Adds decorations: buffers may alias, arithmetic must not be changed, and barriers order memory accesses";
}

def ExpandForSpirv : Pass<"heddle-expand-for-spirv"> {
  let summary = "Expands operations without a SPIR-V instruction: trunc, comparisons that are always true or false, arithmetic on i1";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def RuntimeArrays : Pass<"heddle-runtime-arrays"> {
  let summary = "Turns buffers into SPIR-V runtime arrays if sizes lie in ranges";
}

def TilesToLanes : Pass<"heddle-tiles-to-lanes", "::mlir::ModuleOp"> {
  let summary = "Distributes the operations on tiles in kernels over the lanes of warps";
  let description = [{
    A tile in #heddle.fragments becomes a private buffer of each lane, and a tile in #heddle.workgroup a buffer in
    workgroup memory. Copies, products, elementwise operations and reductions along rows become the code that each lane
    executes. Barriers separate writes of workgroup memory from reads. They also separate accesses to different buffers
    that, according to the launches in the module, may share memory. Each lane executes its part of an async copy as
    async copies of 4, 8 or 16 bytes or, if the copy converts elements or only narrower parts are aligned, as loads and
    stores. `heddle.tile_wait` becomes a wait and a barrier, which is the only barrier between async copies and reads.
    The annotation heddle.lane_registers states for how many registers per thread this code is to be compiled.
  }];
  let options = [
    Option<"subgroup", "subgroup", "int64_t", "32",
           "the number of threads that execute an instruction together. If it is 32, the lanes of a warp exchange "
           "values by gpu.shuffle, otherwise through workgroup memory">,
    Option<"pointers", "pointers", "bool", "true",
           "whether accesses to a buffer can share the address of a view that begins at a run-time offset">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect", "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::nvgpu::NVGPUDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def PlaceWorkgroupMemory : Pass<"heddle-place-workgroup-memory", "::mlir::ModuleOp"> {
  let summary = "Places the workgroup buffers of a kernel in one array, whose length each launch sets";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def ExpandForPtx : Pass<"heddle-expand-for-ptx"> {
  let summary = "Expands reductions over sub-groups to shuffles, and other operations without a PTX instruction";
  let description = [{
    If neighbouring elements of a vector are rounded from f32 to bf16 or f16, one instruction rounds two of them.
  }];
  let options = [
    Option<"subgroup", "subgroup", "int64_t", "32", "the number of threads in a sub-group">
  ];
  let dependentDialects = ["::mlir::NVVM::NVVMDialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::vector::VectorDialect"];
}

def ConvertToNvvm : Pass<"heddle-convert-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Converts kernels of a gpu.module to the LLVM dialect, with bare pointers and 32-bit indices";
  let description = [{
    The code does not call NVIDIA's libdevice. Square roots, quotients and reciprocals are rounded as IEEE 754 requires.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

#endif // HEDDLE_GPUPASSES_TD
