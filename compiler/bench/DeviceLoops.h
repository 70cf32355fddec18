//===- DeviceLoops.h - kernels that measure device roofs --------*- C++ -*-===//

#ifndef HEDDLE_BENCH_DEVICELOOPS_H
#define HEDDLE_BENCH_DEVICELOOPS_H

#include "heddle/device.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <vector>

namespace heddle::bench {

/// Kernels that measure the roofs of a device: its bandwidth and its rate of multiply-adds. Each kernel has two
/// buffers. `Copy` copies the first buffer to the second. `Read` and `Fma` read the first buffer and in practice write
/// nothing (see deviceLoopSum).
enum class DeviceLoop { Copy, Read, Fma };
inline constexpr uint64_t deviceLoopThreads = 128; // threads of a workgroup; every device supports this number
/// The number of bytes that a workgroup of `Copy` or `Read` reads, and the number that a workgroup of `Fma` reads.
inline constexpr uint64_t deviceLoopBytes = deviceLoopThreads * 4 * 16, deviceFmaBytes = deviceLoopThreads * 3 * 16;
/// For each thread, the number of independent chains of multiply-adds and the number of steps in each chain.
inline constexpr uint64_t deviceFmaChains = 8, deviceFmaSteps = 256;
/// `Read` adds up the values that it reads, and `Fma` adds up the results of its chains. They write only if the sum
/// equals this number, which never happens with the data of the benchmark. Since the compiler does not know this, it
/// cannot remove the reads and the multiply-adds.
inline constexpr float deviceLoopSum = 0x1p100f;

/// Creates a program with a kernel for each DeviceLoop, in this order. `format` is the format of the device's code:
/// "spirv" or "ptx".
llvm::Expected<std::vector<char>> makeDeviceLoops(mlir::MLIRContext &context, llvm::StringRef format);
/// Returns the descriptions of these kernels, which a device needs to load the program.
llvm::ArrayRef<heddle_kernel> deviceLoopKernels();

/// These functions create the program of makeDeviceLoops() in SPIR-V and in PTX.
llvm::Expected<std::vector<char>> makeSpirvLoops(mlir::MLIRContext &context);
llvm::Expected<std::vector<char>> makePtxLoops(mlir::MLIRContext &context);

} // namespace heddle::bench

#endif // HEDDLE_BENCH_DEVICELOOPS_H
