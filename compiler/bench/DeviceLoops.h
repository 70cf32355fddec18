//===- DeviceLoops.h - roofline kernels of devices --------------*- C++ -*-===//

#ifndef HEDDLE_BENCH_DEVICELOOPS_H
#define HEDDLE_BENCH_DEVICELOOPS_H

#include "heddle/device.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <vector>

namespace heddle::bench {

/// Kernels that measure a device's roofs, like RoofLoops on a CPU. Each has two buffers; it reads the first, and writes
/// the second or nothing.
enum class DeviceLoop { Copy, Read, Fma };
inline constexpr uint64_t deviceLoopThreads = 128; // threads of a workgroup, supported by every device
/// For each workgroup: the bytes that it copies or reads, and the bytes of the initial values of its multiply-adds.
inline constexpr uint64_t deviceLoopBytes = deviceLoopThreads * 4 * 16, deviceFmaBytes = deviceLoopThreads * 3 * 16;
/// For each thread: the number of independent chains of multiply-adds, and of steps in each.
inline constexpr uint64_t deviceFmaChains = 8, deviceFmaSteps = 256;
/// Values that are read are added up; the sum is written, with its vector, if it equals this number, which no sum of
/// the benchmark's data equals. So the compiler cannot remove the reads.
inline constexpr float deviceLoopSum = 0x1p100f;

/// Creates a program with a kernel for each DeviceLoop, in this order, in the format that the device takes.
llvm::Expected<std::vector<char>> makeDeviceLoops(mlir::MLIRContext &context, llvm::StringRef format);
llvm::ArrayRef<heddle_kernel> deviceLoopKernels();

/// Create the program in one format.
llvm::Expected<std::vector<char>> makeSpirvLoops(mlir::MLIRContext &context);
llvm::Expected<std::vector<char>> makePtxLoops(mlir::MLIRContext &context);

} // namespace heddle::bench

#endif // HEDDLE_BENCH_DEVICELOOPS_H
