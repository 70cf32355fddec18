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

/// Kernels that measure the roofs of a device, like RoofLoops for a CPU. Each kernel has two buffers. It reads the
/// first buffer, and writes the second buffer or nothing.
enum class DeviceLoop { Copy, Read, Fma };
inline constexpr uint64_t deviceLoopThreads = 128; // threads of a workgroup; every device supports this number
/// The bytes that each workgroup copies or reads, and the bytes of the initial values of its multiply-adds.
inline constexpr uint64_t deviceLoopBytes = deviceLoopThreads * 4 * 16, deviceFmaBytes = deviceLoopThreads * 3 * 16;
/// For each thread, the number of independent chains of multiply-adds and the number of steps in each chain.
inline constexpr uint64_t deviceFmaChains = 8, deviceFmaSteps = 256;
/// A kernel adds up the values that it reads. It writes the sum only if the sum equals this number, which never happens
/// with the data of the benchmark. Since the compiler does not know this, it cannot remove the reads.
inline constexpr float deviceLoopSum = 0x1p100f;

/// Creates a program with a kernel for each DeviceLoop, in this order, in the format of the device.
llvm::Expected<std::vector<char>> makeDeviceLoops(mlir::MLIRContext &context, llvm::StringRef format);
llvm::ArrayRef<heddle_kernel> deviceLoopKernels();

/// Create the program in one of the formats.
llvm::Expected<std::vector<char>> makeSpirvLoops(mlir::MLIRContext &context);
llvm::Expected<std::vector<char>> makePtxLoops(mlir::MLIRContext &context);

} // namespace heddle::bench

#endif // HEDDLE_BENCH_DEVICELOOPS_H
