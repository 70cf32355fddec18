//===- DeviceRoofs.h - the most that a device can do ------------*- C++ -*-===//

#ifndef HEDDLE_BENCH_DEVICEROOFS_H
#define HEDDLE_BENCH_DEVICEROOFS_H

#include "DeviceLoops.h"
#include "FirstError.h"
#include "Roofs.h"
#include "heddle/Session.h"

#include "mlir/IR/MLIRContext.h"

namespace heddle::bench {

/// Multiply-adds, copies and reads by kernels that do nothing else. Launches follow one another until one replay takes
/// some milliseconds, so that its submission does not count.
class DeviceRoofMeter : public RoofProbes {
public:
  /// As RoofMeter: the bandwidths are those of the device's memory, and those around `sizes`. Calls that fail while
  /// they are timed leave their error in `errors`, which outlives this.
  static llvm::Expected<std::unique_ptr<DeviceRoofMeter>> create(mlir::MLIRContext &context, DevicePtr device,
                                                                 llvm::ArrayRef<double> sizes, FirstError &errors);
  ~DeviceRoofMeter() override;

  std::vector<Subject> subjects() override;
  /// One Roof, of no number of threads.
  std::vector<Roof> roofs(llvm::ArrayRef<Subject> timed) const override;

private:
  /// One kernel on a footprint.
  struct Probe {
    DeviceLoop loop;
    size_t footprint = 0; // index
    uint64_t groups = 1, launches = 1;
    heddle_launches *recorded = nullptr;
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
  std::vector<double> footprints;
  std::vector<Probe> probes;
  uint64_t capacity = 0; // bytes of each memory
  heddle_memory *memories[2] = {};
  heddle_code *code = nullptr;
};

} // namespace heddle::bench

#endif // HEDDLE_BENCH_DEVICEROOFS_H
