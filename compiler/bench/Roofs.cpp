//===- Roofs.cpp - measures the roofs of this machine ---------------------===//

#include "Roofs.h"

#include "heddle/device.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <set>

using namespace heddle::bench;

/// Returns the member `value` of BandwidthPoint at a footprint (the number of bytes that are accessed), interpolated
/// between the measured points. Outside of their range, returns the value at the nearest point.
static double interpolate(llvm::ArrayRef<BandwidthPoint> points, double footprint, double BandwidthPoint::*value) {
  if (points.empty())
    return 0;
  const BandwidthPoint *above = std::find_if(points.begin(), points.end(),
                                             [&](const BandwidthPoint &p) { return p.footprint >= footprint; });
  if (above == points.end())
    return points.back().*value;
  if (above == points.begin())
    return above->*value;
  const BandwidthPoint &below = above[-1];
  double part = std::log(footprint / below.footprint) / std::log(above->footprint / below.footprint);
  return below.*value + part * (above->*value - below.*value);
}

double Roof::bandwidthFor(double bytesRead, double bytesWritten) const {
  double footprint = bytesRead + bytesWritten, both = 2 * std::min(bytesRead, bytesWritten);
  double copy = interpolate(bandwidth, footprint, &BandwidthPoint::copy);
  // The bandwidth of a loop that only writes is not measured, so use the bandwidth of a copy, which is not larger.
  double rest = bytesRead > bytesWritten ? interpolate(bandwidth, footprint, &BandwidthPoint::read) : copy;
  if (footprint <= 0 || copy <= 0 || rest <= 0)
    return 0;
  return footprint / (both / copy + (footprint - both) / rest);
}

std::string Roof::doubt(bool compute, double footprint) const {
  double change = compute ? flopsChange
                          : std::max(interpolate(bandwidth, footprint, &BandwidthPoint::copyChange),
                                     interpolate(bandwidth, footprint, &BandwidthPoint::readChange));
  if (change <= farApart)
    return "";
  return llvm::formatv("the roof changed during the run: its quartiles are {0:f0}% apart", 100 * change);
}

RoofLimit heddle::bench::limitOf(const Roof &roof, const Work &work, size_t copies) {
  double bandwidth = roof.bandwidthFor(double(copies) * work.bytesRead, double(copies) * work.bytesWritten);
  double compute = roof.flops > 0 ? work.products / roof.flops : 0;
  double memory = bandwidth > 0 ? work.bytes() / bandwidth : 0;
  return {std::max(compute, memory), compute >= memory};
}

std::vector<double> heddle::bench::footprintsAround(double largest, llvm::ArrayRef<double> sizes) {
  // Choose smaller steps between footprints from 1 MiB on, where one level of cache ends and the next begins.
  std::vector<double> grid;
  for (double footprint = 1 << 14; footprint < largest; footprint *= footprint < (1 << 20) ? 4 : 2)
    grid.push_back(footprint);
  grid.push_back(largest);
  std::set<double> needed = {largest};
  for (double size : sizes) {
    auto above = std::lower_bound(grid.begin(), grid.end(), size);
    if (above == grid.end())
      continue;
    needed.insert(*above);
    if (above != grid.begin())
      needed.insert(above[-1]);
  }
  return {needed.begin(), needed.end()};
}

Best heddle::bench::bestOf(const Subject &subject) {
  std::vector<double> rounds;
  for (const std::vector<double> &samples : subject.samples)
    if (!samples.empty())
      rounds.push_back(*llvm::min_element(samples));
  return {rounds.empty() ? 0 : *llvm::min_element(rounds), quartiles(rounds).distance()};
}

//===----------------------------------------------------------------------===//

namespace {
enum class Kind { Fma, Copy, Stream, Read };
constexpr size_t fmaSteps = 20000; // a call takes about 30 to 100 us
// If the footprint is smaller than this number of bytes, a call runs the loop as often as it can without accessing more
// bytes in total.
constexpr double bytesPerCall = 1 << 21;
// Limits for the footprint with which the bandwidth of memory is measured. The footprint must exceed every cache, but
// is limited because virtual machines may report caches that are larger than the real ones.
constexpr double smallestMemory = 1 << 26, largestMemory = 1 << 28;
} // namespace

/// A measurement: a loop that runs on a number of threads and accesses a number of bytes.
struct RoofMeter::Probe {
  Kind kind;
  size_t threads;
  size_t footprint; // an index in `footprints`
};

/// The data that the threads of one call share.
struct RoofMeter::Task {
  const RoofLoops *loops;
  Kind kind;
  float *to, *from;
  size_t count;  // the number of floats for each thread
  size_t stride; // the number of floats from the data of one thread to the data of the next
  size_t passes; // the number of times that a call runs the loop

  static void run(void *data, size_t thread) {
    const Task &task = *static_cast<Task *>(data);
    float *to = task.to + thread * task.stride;
    const float *from = task.from + thread * task.stride;
    for (size_t pass = 0; pass < task.passes; ++pass)
      switch (task.kind) {
      case Kind::Fma:
        task.loops->fma(fmaSteps);
        break;
      case Kind::Copy:
        task.loops->copy(to, from, task.count);
        break;
      case Kind::Stream:
        task.loops->stream(to, from, task.count);
        break;
      case Kind::Read:
        task.loops->read(from, task.count);
        break;
      }
  }
};

RoofMeter::RoofMeter(const RoofLoops &loops, const heddle_executor *executor, double largestCache,
                     llvm::ArrayRef<double> sizes)
    : loops(loops), executor(executor) {
  double largest = std::clamp(4 * largestCache, smallestMemory, largestMemory);
  footprints = footprintsAround(largest, sizes);
  size_t threads = executor ? executor->threads : 1;
  capacity = size_t(largest / 2 / sizeof(float)) + threads * roofBlock;
  memory = static_cast<float *>(std::aligned_alloc(4096, (2 * capacity * sizeof(float) + 4095) / 4096 * 4096));
  if (memory)
    std::memset(memory, 0, 2 * capacity * sizeof(float)); // maps all pages
  else
    footprints.clear();
}

std::unique_ptr<RoofMeter> RoofMeter::forThisCpu(llvm::ArrayRef<std::string> features, const heddle_executor *executor,
                                                 llvm::ArrayRef<double> sizes, std::string &name) {
  heddle_device_info cpu;
  heddle_cpu_info(&cpu);
  auto has = [&](llvm::StringRef feature) { return llvm::is_contained(features, feature); };
  const RoofLoops &loops = roofLoops(has("avx512f"), has("avx2") && has("fma"));
  name = loops.name;
  return std::make_unique<RoofMeter>(loops, executor, double(cpu.l3), sizes);
}

RoofMeter::~RoofMeter() { std::free(memory); }

std::vector<RoofMeter::Probe> RoofMeter::probes() const {
  std::vector<Probe> probes;
  std::vector<size_t> counts = {1};
  if (executor && executor->threads > 1)
    counts.push_back(executor->threads);
  for (size_t threads : counts) {
    probes.push_back({Kind::Fma, threads, 0});
    for (size_t i = 0; i < footprints.size(); ++i)
      for (Kind kind : {Kind::Copy, Kind::Stream, Kind::Read})
        if (kind != Kind::Stream || footprints[i] > (1 << 20)) // nontemporal stores are slow in caches
          probes.push_back({kind, threads, i});
  }
  return probes;
}

/// Returns the number of bytes that one pass accesses: the footprint, rounded so that each thread has a multiple of
/// roofBlock floats.
static double bytesOf(double footprint, size_t threads, Kind kind) {
  size_t halves = kind == Kind::Read ? 1 : 2;
  size_t each = size_t(footprint / double(halves * threads * sizeof(float))) / roofBlock * roofBlock;
  return double(std::max(each, roofBlock) * halves * threads * sizeof(float));
}

std::vector<Subject> RoofMeter::subjects() {
  static const char *const names[] = {"fma", "copy", "stream", "read"};
  std::vector<Subject> subjects;
  for (const Probe &probe : probes()) {
    auto task = std::make_shared<Task>();
    *task = {&loops, probe.kind, memory, memory + capacity, 0, 0, 1};
    std::string name = std::string("roof/") + names[int(probe.kind)];
    if (probe.kind != Kind::Fma) {
      double bytes = bytesOf(footprints[probe.footprint], probe.threads, probe.kind);
      size_t halves = probe.kind == Kind::Read ? 1 : 2;
      task->count = task->stride = size_t(bytes / double(halves * probe.threads * sizeof(float)));
      if (halves == 1)
        task->from = memory;
      task->passes = std::max<size_t>(1, size_t(bytesPerCall / bytes));
      name += "/bytes:" + std::to_string(uint64_t(bytes));
    }
    Subject subject;
    subject.name = name + "/threads:" + std::to_string(probe.threads);
    if (probe.threads == 1)
      subject.call = [task](size_t) { Task::run(task.get(), 0); };
    else
      subject.call = [task, executor = executor, threads = probe.threads](size_t) {
        executor->parallel_for(executor->self, threads, Task::run, task.get());
      };
    subjects.push_back(std::move(subject));
  }
  return subjects;
}

std::vector<Roof> RoofMeter::roofs(llvm::ArrayRef<Subject> timed) const {
  std::vector<Roof> roofs;
  for (auto [index, probe] : llvm::enumerate(probes())) {
    if (roofs.empty() || roofs.back().threads != probe.threads) {
      roofs.emplace_back().threads = probe.threads;
      for (double footprint : footprints)
        roofs.back().bandwidth.emplace_back().footprint = footprint;
    }
    Roof &roof = roofs.back();
    auto [seconds, change] = bestOf(timed[index]);
    if (seconds <= 0)
      continue;
    if (probe.kind == Kind::Fma) {
      roof.flops = 2.0 * double(fmaSteps * loops.fmaChains * loops.lanes * probe.threads) / seconds;
      roof.flopsChange = change;
      continue;
    }
    double bytes = bytesOf(footprints[probe.footprint], probe.threads, probe.kind);
    double rate = bytes * double(std::max<size_t>(1, size_t(bytesPerCall / bytes))) / seconds;
    BandwidthPoint &point = roof.bandwidth[probe.footprint];
    bool reads = probe.kind == Kind::Read;
    double &best = reads ? point.read : point.copy;
    if (rate > best) {
      best = rate;
      (reads ? point.readChange : point.copyChange) = change;
    }
  }
  return roofs;
}
