//===- LaunchTimers.h - timers around a model's launches --------*- C++ -*-===//

#ifndef HEDDLE_BENCH_LAUNCHTIMERS_H
#define HEDDLE_BENCH_LAUNCHTIMERS_H

#include "CallTimes.h"
#include "heddle/InterpretedDevice.h"
#include "heddle/Session.h"

namespace heddle::bench {

/// All launches of one kernel of a device in one call of a model.
struct KernelCounts {
  std::string kernel; // "k0_launch0"
  uint64_t launches = 0;
  LaunchCounts counts;
};

/// Kernels of a device are parts of the model's: "k3_launch1" of "k3".
llvm::StringRef modelKernelOf(llvm::StringRef deviceKernel);

/// Stands between one model and its device, and has what the model records timed there.
class LaunchTimers {
public:
  explicit LaunchTimers(DevicePtr device);
  LaunchTimers(const LaunchTimers &) = delete; // the table knows where it is

  /// What the model is initialised with; goes on with this until both are gone.
  static DevicePtr tableOf(std::shared_ptr<LaunchTimers> timers);

  /// Takes what the last call of the model took on the device into account.
  llvm::Error finishCall();

  /// Of each launch, by the kernel that it belongs to.
  CallTimes times;
  /// What the launches of the last call did, by the name that their code has on the device, in the order of their first
  /// ones; of the interpreter of PTX alone, as others do not count.
  std::vector<KernelCounts> counts() const;

private:
  template <auto member> struct Forward;
  template <auto... members> void forward() { ((table.*members = Forward<members>::call), ...); }
  static heddle_status load(void *self, const heddle_program *program, heddle_code **code);
  static heddle_status record(void *self, heddle_code *code, heddle_memory *const *memories, uint64_t memoryCount,
                              const heddle_launch *launches, uint64_t launchCount, uint64_t staging,
                              heddle_launches **recorded);

  DevicePtr inner;
  heddle_device table;
  std::vector<std::string> kernels;  // of the program
  std::vector<std::string> launches; // their kernels
  heddle_launches *recorded = nullptr;
};

} // namespace heddle::bench

#endif // HEDDLE_BENCH_LAUNCHTIMERS_H
