//===- DeviceRoofs.h - measures the roofs of a device -----------*- C++ -*-===//

#ifndef HEDDLE_BENCH_DEVICEROOFS_H
#define HEDDLE_BENCH_DEVICEROOFS_H

#include "DeviceLoops.h"
#include "FirstError.h"
#include "Roofs.h"
#include "heddle/Session.h"

#include "mlir/IR/MLIRContext.h"

namespace heddle::bench {

/// Measures the rates of multiply-adds, copies and reads with kernels that do nothing else. The launches of a kernel
/// are recorded once and timed as a whole ("replay", device.h). A replay contains enough launches to take some
/// milliseconds, but at most 1024, so that the time of its submission is negligible.
class DeviceRoofMeter : public RoofProbes {
public:
  /// Creates an object that measures the bandwidth of the device's memory and the bandwidths for footprints around
  /// `sizes`, which are numbers of bytes. A footprint is the size of all data that a replay accesses, however often.
  /// `errors` receives errors of timed calls, and must outlive the created object.
  static llvm::Expected<std::unique_ptr<DeviceRoofMeter>> create(mlir::MLIRContext &context, DevicePtr device,
                                                                 llvm::ArrayRef<double> sizes, FirstError &errors);
  ~DeviceRoofMeter() override;

  std::vector<Subject> subjects() override;
  /// Returns a single Roof whose number of threads is 0.
  std::vector<Roof> roofs(llvm::ArrayRef<Subject> timed) const override;

private:
  /// The launches of one kernel with one footprint.
  struct Probe {
    DeviceLoop loop;
    size_t footprint = 0;                // an index in `footprints`; unused for Fma
    uint64_t groups = 1, launches = 1;   // the numbers of workgroups in a launch and of launches in a replay
    heddle_launches *recorded = nullptr; // owned by the DeviceRoofMeter
  };

  DeviceRoofMeter(DevicePtr device, FirstError &errors) : device(std::move(device)), errors(errors) {}
  llvm::Error prepare(mlir::MLIRContext &context, llvm::ArrayRef<double> sizes);
  llvm::Error clear(heddle_memory *memory);
  llvm::Error record(Probe &probe);
  llvm::Error calibrate(Probe &probe);
  llvm::Error replay(const Probe &probe);
  llvm::Error check(heddle_status status);

  DevicePtr device;
  FirstError &errors;
  std::vector<double> footprints; // in bytes, ascending
  std::vector<Probe> probes;
  uint64_t capacity = 0;           // the size of each memory in bytes
  heddle_memory *memories[2] = {}; // the buffers of the kernels
  heddle_code *code = nullptr;
};

} // namespace heddle::bench

#endif // HEDDLE_BENCH_DEVICEROOFS_H
