//===- device_roofs_test.cpp - measured roofs of devices ------------------===//
//
// The roofs of a device are its rate of multiply-adds and its bandwidths, which small kernels (DeviceLoop) measure.
//
//===----------------------------------------------------------------------===//

#include "bench/DeviceRoofs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

using namespace heddle;
using namespace heddle::bench;

namespace {

class DeviceRoofs : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    auto opened = openDevice(GetParam());
    if (opened)
      device = std::move(*opened);
    else if (std::string reason = llvm::toString(opened.takeError()); getenv("HEDDLE_TESTS_NEED_TOOLS"))
      FAIL() << reason;
    else
      GTEST_SKIP() << reason;
  }

  mlir::MLIRContext context = mlir::MLIRContext(mlir::MLIRContext::Threading::DISABLED);
  DevicePtr device;
};
using DeviceLoops = DeviceRoofs; // the fixture of tests for devices that execute kernels
static std::string nameOf(const testing::TestParamInfo<const char *> &info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
// Sanitizers would report leaks of the Vulkan driver, so builds with sanitizers do not run it.
#ifdef HEDDLE_TEST_VULKAN_RUNS
INSTANTIATE_TEST_SUITE_P(, DeviceRoofs, testing::Values("null", "vulkan"), nameOf);
INSTANTIATE_TEST_SUITE_P(, DeviceLoops, testing::Values("vulkan", "cuda-interpreted"), nameOf);
#else
INSTANTIATE_TEST_SUITE_P(, DeviceRoofs, testing::Values("null"), nameOf);
INSTANTIATE_TEST_SUITE_P(, DeviceLoops, testing::Values("cuda-interpreted"), nameOf);
#endif

TEST_P(DeviceRoofs, AreMeasured) {
  FirstError errors;
  auto meter = DeviceRoofMeter::create(context, device, {1e5}, errors);
  ASSERT_TRUE(bool(meter)) << llvm::toString(meter.takeError());
  std::vector<Subject> subjects = (*meter)->subjects();
  measure(subjects, {1e-3, 2e-3, 2});
  EXPECT_FALSE(bool(errors));
  std::vector<Roof> roofs = (*meter)->roofs(subjects);
  ASSERT_EQ(roofs.size(), 1u);
  EXPECT_EQ(roofs[0].threads, 0u);
  EXPECT_GT(roofs[0].flops, 1e8);
  ASSERT_EQ(roofs[0].bandwidth.size(), 3u); // below and above 1e5 bytes, and the largest number of bytes
  for (const BandwidthPoint &point : roofs[0].bandwidth) {
    EXPECT_GT(point.copy, 1e6);
    EXPECT_GT(point.read, 1e6);
  }
}

// If a measuring kernel skipped work, the measured roof would be too high.
TEST_P(DeviceLoops, DoAllTheirWork) {
  constexpr uint64_t groups = 3, size = groups * deviceLoopBytes;
  auto bytes = makeDeviceLoops(context, device->format);
  ASSERT_TRUE(bool(bytes)) << llvm::toString(bytes.takeError());
  llvm::ArrayRef<heddle_kernel> kernels = deviceLoopKernels();
  heddle_program program = {device->format, bytes->data(), bytes->size(), kernels.size(), kernels.data(), 0};
  heddle_device *d = device.get();
  heddle_memory *memories[2] = {};
  heddle_code *code = nullptr;
  ASSERT_EQ(d->load(d->self, &program, &code), HEDDLE_OK) << d->error(d->self);
  for (heddle_memory *&memory : memories)
    ASSERT_EQ(d->allocate(d->self, size, &memory), HEDDLE_OK);
  std::vector<float> values(size / 4), seen(size / 4);
  // Runs a kernel on the values `from`, stores its output in `seen`, and returns how many floats it did not write.
  auto run = [&](DeviceLoop loop, const std::vector<float> &from) {
    std::vector<float> empty(size / 4, -1);
    heddle_view views[] = {{0, 0, size}, {1, 0, size}};
    heddle_launch launch = {uint64_t(loop), {groups, 1, 1}, views, nullptr};
    heddle_launches *recorded = nullptr;
    EXPECT_EQ(d->upload(d->self, memories[0], 0, from.data(), size), HEDDLE_OK);
    EXPECT_EQ(d->upload(d->self, memories[1], 0, empty.data(), size), HEDDLE_OK);
    EXPECT_EQ(d->record(d->self, code, memories, 2, &launch, 1, 0, &recorded), HEDDLE_OK) << d->error(d->self);
    EXPECT_EQ(d->replay(d->self, recorded, nullptr, 0, nullptr, 0), HEDDLE_OK) << d->error(d->self);
    EXPECT_EQ(d->download(d->self, memories[1], 0, seen.data(), size), HEDDLE_OK);
    d->forget(d->self, recorded);
    return int(llvm::count(seen, -1.0f));
  };
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = float(i);
  EXPECT_EQ(run(DeviceLoop::Copy, values), 0);
  EXPECT_EQ(seen, values);
  EXPECT_EQ(run(DeviceLoop::Read, values), int(values.size())) << "DeviceLoop::Read must not write";
  // The sum of DeviceLoop::Read includes each of the four vectors that a thread reads: if one of them contains the
  // number deviceLoopSum, the sum equals this number, and only then does the thread write four floats.
  for (unsigned vector = 0; vector < 4; ++vector) {
    std::vector<float> from(size / 4, 0);
    for (uint64_t group = 0; group < groups; ++group)
      for (uint64_t thread = 0; thread < deviceLoopThreads; ++thread)
        from[4 * (thread + deviceLoopThreads * (vector + 4 * group)) + vector] = deviceLoopSum;
    EXPECT_EQ(run(DeviceLoop::Read, from), int(values.size() - 4 * groups * deviceLoopThreads));
  }
  // In DeviceLoop::Fma, each step of a chain computes chain * factor + addend. The chains begin at 0, and the factor is
  // 1, so the sum of all chains is deviceLoopSum only if all chains do all steps.
  std::vector<float> from(size / 4, 0);
  for (uint64_t thread = 0; thread < deviceLoopThreads; ++thread) {
    from[4 * (thread + deviceLoopThreads * 2)] = 1;
    from[4 * (thread + deviceLoopThreads * 2) + 1] = deviceLoopSum / (deviceFmaChains * deviceFmaSteps);
  }
  EXPECT_EQ(run(DeviceLoop::Fma, from), int(values.size() - 4 * deviceLoopThreads));
  d->unload(d->self, code);
  for (heddle_memory *memory : memories)
    d->release(d->self, memory);
}

} // namespace
