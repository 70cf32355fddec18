//===- LaunchTimers.cpp - timers around device launches -------------------===//

#include "LaunchTimers.h"

#include "llvm/ADT/MapVector.h"

using namespace llvm;
using namespace heddle;
using namespace heddle::bench;

/// A function for the member `member` of the function table of LaunchTimers. The function calls the same member of the
/// device that LaunchTimers wraps.
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
          &D::record_timed, &D::times, &D::save_cache, &D::restore_cache, &D::replay_with, &D::wrap, &D::address,
          &D::stream, &D::wait>();
  table.load = load;
  table.record = record;
  table.close = [](void *) {}; // `inner` is closed by its own deleter
}

DevicePtr LaunchTimers::tableOf(std::shared_ptr<LaunchTimers> timers) {
  heddle_device *table = &timers->table;
  return DevicePtr(std::move(timers), table);
}

StringRef heddle::bench::modelKernelOf(StringRef deviceKernel) { return deviceKernel.rsplit("_launch").first; }

heddle_status LaunchTimers::load(void *self, const heddle_program *program, heddle_code **code) {
  auto &timers = *static_cast<LaunchTimers *>(self);
  timers.kernels.clear();
  for (const heddle_kernel &kernel : ArrayRef(program->kernels, program->kernel_count))
    timers.kernels.push_back(kernel.name);
  return timers.inner->load(timers.inner->self, program, code);
}

heddle_status LaunchTimers::record(void *self, heddle_code *code, heddle_memory *const *memories, uint64_t memoryCount,
                                   const heddle_launch *launches, uint64_t launchCount, uint64_t staging,
                                   heddle_launches **recorded) {
  auto &timers = *static_cast<LaunchTimers *>(self);
  heddle_status status = timers.inner->record_timed(timers.inner->self, code, memories, memoryCount, launches,
                                                    launchCount, staging, recorded);
  std::vector<std::string> ofModel; // for each launch, the kernel of the model
  timers.launches.clear();
  for (uint64_t i = 0; i < launchCount; ++i) {
    timers.launches.push_back(timers.kernels[launches[i].kernel]);
    ofModel.push_back(modelKernelOf(timers.launches.back()).str());
  }
  timers.times = CallTimes(std::move(ofModel));
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

std::vector<KernelCounts> LaunchTimers::counts() const {
  MapVector<StringRef, KernelCounts> kernels;
  std::vector<LaunchCounts> each = interpretedCounts(*inner, recorded);
  for (auto [name, counts] : zip(launches, each)) {
    KernelCounts &kernel = kernels[name];
    kernel.kernel = name;
    ++kernel.launches;
    kernel.counts += counts;
  }
  auto found = make_second_range(kernels);
  return {found.begin(), found.end()};
}
