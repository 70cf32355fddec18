//===- LaunchTimers.cpp - timers around a model's launches ----------------===//

#include "LaunchTimers.h"

using namespace llvm;
using namespace heddle;
using namespace heddle::bench;

/// A function of the table that passes its call on.
template <typename R, typename... A, R (*heddle_device::*member)(void *, A...)> struct LaunchTimers::Forward<member> {
  static R call(void *self, A... arguments) {
    heddle_device *inner = static_cast<LaunchTimers *>(self)->inner.get();
    return (inner->*member)(inner->self, arguments...);
  }
};

LaunchTimers::LaunchTimers(DevicePtr device) : inner(std::move(device)), table(*inner) {
  using D = heddle_device;
  table.self = this;
  forward<&D::allocate, &D::release, &D::upload, &D::download, &D::unload, &D::forget, &D::replay, &D::error,
          &D::record_timed, &D::times, &D::save_cache, &D::restore_cache>();
  table.load = load;
  table.record = record;
  table.close = [](void *) {}; // `inner` closes itself
}

DevicePtr LaunchTimers::tableOf(std::shared_ptr<LaunchTimers> timers) {
  heddle_device *table = &timers->table;
  return DevicePtr(std::move(timers), table);
}

/// Kernels of a device are parts of the model's: "k3_launch1" of k3.
heddle_status LaunchTimers::load(void *self, const heddle_program *program, heddle_code **code) {
  auto &timers = *static_cast<LaunchTimers *>(self);
  timers.kernels.clear();
  for (const heddle_kernel &kernel : ArrayRef(program->kernels, program->kernel_count))
    timers.kernels.push_back(StringRef(kernel.name).rsplit("_launch").first.str());
  return timers.inner->load(timers.inner->self, program, code);
}

heddle_status LaunchTimers::record(void *self, heddle_code *code, heddle_memory *const *memories, uint64_t memoryCount,
                                   const heddle_launch *launches, uint64_t launchCount, uint64_t staging,
                                   heddle_launches **recorded) {
  auto &timers = *static_cast<LaunchTimers *>(self);
  heddle_status status = timers.inner->record_timed(timers.inner->self, code, memories, memoryCount, launches,
                                                    launchCount, staging, recorded);
  std::vector<std::string> names;
  for (uint64_t i = 0; i < launchCount; ++i)
    names.push_back(timers.kernels[launches[i].kernel]);
  timers.times = CallTimes(std::move(names));
  timers.recorded = *recorded;
  return status;
}

Error LaunchTimers::finishCall() {
  std::vector<double> seconds(times.size());
  if (inner->times(inner->self, recorded, seconds.data(), seconds.size()))
    return createStringError(std::string(inner->name) + ": " + inner->error(inner->self));
  times.add(seconds);
  return Error::success();
}
