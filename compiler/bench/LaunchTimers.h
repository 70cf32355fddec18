//===- LaunchTimers.h - timers around device launches -----------*- C++ -*-===//

#ifndef HEDDLE_BENCH_LAUNCHTIMERS_H
#define HEDDLE_BENCH_LAUNCHTIMERS_H

#include "CallTimes.h"
#include "heddle/InterpretedDevice.h"
#include "heddle/Session.h"

namespace heddle::bench {

/// The counts (instructions, barriers and memory accesses) of all launches of one device kernel in one call of a model.
struct KernelCounts {
  std::string kernel; // such as "k0_launch0"
  uint64_t launches = 0;
  LaunchCounts counts;
};

/// Returns the kernel of the model to which a device kernel belongs: "k3" for "k3_launch1".
llvm::StringRef modelKernelOf(llvm::StringRef deviceKernel);

/// Wraps the device of one model and times the launches that the model records. The wrapper is a table of functions
/// (heddle_device) that calls the functions of the wrapped device, except that `record` calls `record_timed`.
class LaunchTimers {
public:
  explicit LaunchTimers(DevicePtr device);
  LaunchTimers(const LaunchTimers &) = delete; // the table contains the address of this object

  /// Returns the wrapping device, with which the model must be initialised. The returned pointer keeps `timers` alive.
  static DevicePtr tableOf(std::shared_ptr<LaunchTimers> timers);

  /// Adds to `times` the times that the launches of the last call took on the device.
  llvm::Error finishCall();

  /// The times of each launch, and the kernel of the model to which it belongs.
  CallTimes times;
  /// Returns the counts of the launches of the last call, one element for each device kernel, in the order in which the
  /// kernels are first launched. Only the PTX interpreter, which runs kernels on the CPU, counts; the result is empty
  /// for other devices.
  std::vector<KernelCounts> counts() const;

private:
  template <auto member> struct Forward;
  /// Makes the functions `members` of the wrapping device call the same functions of the wrapped device.
  template <auto... members> void forward() { ((table.*members = Forward<members>::call), ...); }
  static heddle_status load(void *self, const heddle_program *program, heddle_code **code);
  static heddle_status record(void *self, heddle_code *code, heddle_memory *const *memories, uint64_t memoryCount,
                              const heddle_launch *launches, uint64_t launchCount, uint64_t staging,
                              heddle_launches **recorded);

  DevicePtr inner;                     // the wrapped device
  heddle_device table;                 // the wrapping device
  std::vector<std::string> kernels;    // the names of the program's device kernels
  std::vector<std::string> launches;   // for each recorded launch, the name of its device kernel
  heddle_launches *recorded = nullptr; // the recorded launches, which the model owns
};

} // namespace heddle::bench

#endif // HEDDLE_BENCH_LAUNCHTIMERS_H
