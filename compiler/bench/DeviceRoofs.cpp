//===- DeviceRoofs.cpp - measures the roofs of a device -------------------===//

#include "DeviceRoofs.h"

#include <algorithm>

using namespace llvm;
using namespace heddle;
using namespace heddle::bench;

// The minimum time of a replay (one run of recorded launches), in seconds. It makes the time of submission negligible.
static constexpr double shortestReplay = 4e-3;
// The maximum numbers of launches in a replay and of workgroups in a launch.
static constexpr uint64_t maxLaunches = 1024, maxGroups = 65535;
// The maximum number of bytes for which the bandwidth of memory is measured. It is larger than the caches of most GPUs.
static constexpr uint64_t largestMemory = 1 << 28;

/// Returns the last error of the device if `status` is not HEDDLE_OK.
Error DeviceRoofMeter::check(heddle_status status) {
  if (status == HEDDLE_OK)
    return Error::success();
  return createStringError(std::string("cannot measure the roofs of ") + device->name + ": " +
                           device->error(device->self));
}

Expected<std::unique_ptr<DeviceRoofMeter>> DeviceRoofMeter::create(mlir::MLIRContext &context, DevicePtr device,
                                                                   ArrayRef<double> sizes, FirstError &errors) {
  std::unique_ptr<DeviceRoofMeter> meter(new DeviceRoofMeter(std::move(device), errors));
  if (Error error = meter->prepare(context, sizes))
    return std::move(error);
  return meter;
}

DeviceRoofMeter::~DeviceRoofMeter() {
  for (Probe &probe : probes)
    device->forget(device->self, probe.recorded);
  device->unload(device->self, code);
  for (heddle_memory *memory : memories)
    device->release(device->self, memory);
}

/// Fills a buffer with zeros, since arithmetic on NaN or denormals may be slower.
Error DeviceRoofMeter::clear(heddle_memory *memory) {
  std::vector<char> zeros(std::min<uint64_t>(capacity, 1 << 24));
  for (uint64_t done = 0; done < capacity; done += zeros.size())
    if (Error error = check(device->upload(device->self, memory, done, zeros.data(),
                                           std::min<uint64_t>(zeros.size(), capacity - done))))
      return error;
  return Error::success();
}

/// Loads the kernels, allocates both memories, and records the launches of each probe.
Error DeviceRoofMeter::prepare(mlir::MLIRContext &context, ArrayRef<double> sizes) {
  const heddle_device_limits &limits = *device->limits;
  uint64_t largest = std::min({largestMemory, limits.memory / 16, 2 * limits.memory_size, 2 * limits.view_size,
                               2 * maxGroups * deviceLoopBytes});
  capacity = largest / 2 / deviceLoopBytes * deviceLoopBytes;
  Expected<std::vector<char>> bytes = makeDeviceLoops(context, device->format);
  if (!bytes)
    return bytes.takeError();
  ArrayRef<heddle_kernel> kernels = deviceLoopKernels();
  heddle_program program = {device->format, bytes->data(), bytes->size(), kernels.size(), kernels.data(), 0};
  if (Error error = check(device->load(device->self, &program, &code)))
    return error;
  for (heddle_memory *&memory : memories) {
    if (Error error = check(device->allocate(device->self, capacity, &memory)))
      return error;
    if (Error error = clear(memory))
      return error;
  }
  footprints = footprintsAround(double(2 * capacity), sizes);
  probes.push_back({DeviceLoop::Fma});
  for (size_t i = 0; i < footprints.size(); ++i)
    for (DeviceLoop loop : {DeviceLoop::Copy, DeviceLoop::Read})
      probes.push_back({loop, i});
  for (Probe &probe : probes)
    if (Error error = calibrate(probe))
      return error;
  return Error::success();
}

/// Records the launches of the probe and discards its earlier recording.
Error DeviceRoofMeter::record(Probe &probe) {
  device->forget(device->self, probe.recorded);
  uint64_t each = probe.loop == DeviceLoop::Fma ? deviceFmaBytes : deviceLoopBytes, size = probe.groups * each;
  // Launches of `read` alternate between the two memories, so that a replay accesses both, as a replay of `copy` does.
  // Then the footprint is the same for both kernels.
  heddle_view views[2][2] = {{{0, 0, size}, {1, 0, size}}, {{1, 0, size}, {0, 0, size}}};
  std::vector<heddle_launch> launches;
  for (uint64_t i = 0; i < probe.launches; ++i)
    launches.push_back({uint64_t(probe.loop), {probe.groups, 1, 1}, views[probe.loop == DeviceLoop::Read ? i % 2 : 0],
                        /*counts=*/nullptr});
  return check(device->record(device->self, code, memories, 2, launches.data(), launches.size(), 0, &probe.recorded));
}

Error DeviceRoofMeter::replay(const Probe &probe) {
  return check(device->replay(device->self, probe.recorded, nullptr, 0, nullptr, 0));
}

/// Chooses the number of launches so that a replay takes at least `shortestReplay`, unless this needs more than
/// `maxLaunches`. For multiply-adds, also chooses the number of workgroups. For the other kernels, the footprint
/// determines the number of workgroups.
Error DeviceRoofMeter::calibrate(Probe &probe) {
  bool isFma = probe.loop == DeviceLoop::Fma;
  uint64_t maximum = isFma ? std::min(maxGroups, capacity / deviceFmaBytes) : 0;
  if (isFma)
    probe.groups = std::min<uint64_t>(maximum, 256);
  else
    probe.groups = std::max<uint64_t>(1, uint64_t(footprints[probe.footprint]) / 2 / deviceLoopBytes);
  probe.launches = probe.loop == DeviceLoop::Read ? 2 : 1;
  while (true) {
    if (Error error = record(probe))
      return error;
    if (Error error = replay(probe)) // the first replay may be slower than later ones
      return error;
    double start = now();
    if (Error error = replay(probe))
      return error;
    if (now() - start >= shortestReplay || probe.launches >= maxLaunches)
      return Error::success();
    if (isFma && probe.groups < maximum)
      probe.groups = std::min(maximum, 2 * probe.groups);
    else
      probe.launches *= 2;
  }
}

std::vector<Subject> DeviceRoofMeter::subjects() {
  static const char *const names[] = {"copy", "read", "fma"};
  std::vector<Subject> subjects;
  for (const Probe &probe : probes) {
    Subject subject;
    subject.name = std::string("roof/") + names[int(probe.loop)];
    if (probe.loop != DeviceLoop::Fma)
      subject.name += "/bytes:" + std::to_string(2 * probe.groups * deviceLoopBytes);
    subject.call = [this, &probe](size_t) {
      if (!errors)
        errors.take(replay(probe));
    };
    subjects.push_back(std::move(subject));
  }
  return subjects;
}

std::vector<Roof> DeviceRoofMeter::roofs(ArrayRef<Subject> timed) const {
  Roof roof;
  roof.threads = 0;
  for (double footprint : footprints)
    roof.bandwidth.emplace_back().footprint = footprint;
  for (auto [probe, subject] : zip_equal(probes, timed)) {
    Best best = bestOf(subject);
    if (best.seconds <= 0)
      continue;
    double launched = double(probe.groups * probe.launches) / best.seconds;
    BandwidthPoint &point = roof.bandwidth[probe.footprint];
    switch (probe.loop) {
    case DeviceLoop::Fma:
      roof.flops = 2 * double(deviceLoopThreads * deviceFmaChains * deviceFmaSteps) * launched;
      roof.flopsChange = best.change;
      break;
    case DeviceLoop::Copy:
      point.copy = 2 * double(deviceLoopBytes) * launched;
      point.copyChange = best.change;
      break;
    case DeviceLoop::Read:
      point.read = double(deviceLoopBytes) * launched;
      point.readChange = best.change;
      break;
    }
  }
  return {roof};
}
