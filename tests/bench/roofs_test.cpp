//===- roofs_test.cpp - roofs of the CPU and the roofline plot ------------===//
//
// The roofs are the rate of multiply-adds and the bandwidths of the CPU. They bound the speed of a call from above.
//
//===----------------------------------------------------------------------===//

#include "bench/RooflinePlot.h"
#include "bench/Roofs.h"
#include "heddle/device.h"

#include <gtest/gtest.h>

using namespace heddle::bench;

/// Makes roofs of 1 thread: 100 GFLOP/s, and the bandwidths of copying and reading at three footprints (numbers of
/// bytes that a call accesses).
static Roof makeRoof() { return {1, 100e9, {{1e4, 80e9, 160e9}, {1e6, 40e9, 80e9}, {1e8, 10e9, 12e9}}}; }

TEST(Roofs, BandwidthDependsOnSize) {
  Roof roof = makeRoof();
  EXPECT_DOUBLE_EQ(roof.bandwidthFor(5e5, 5e5), 40e9);     // a copy of a measured size
  EXPECT_DOUBLE_EQ(roof.bandwidthFor(5e4, 5e4), 60e9);     // half way on the logarithmic scale
  EXPECT_DOUBLE_EQ(roof.bandwidthFor(5, 5), 80e9);         // smaller than all measured sizes
  EXPECT_DOUBLE_EQ(roof.bandwidthFor(5e9, 5e9), 10e9);     // larger than all measured sizes
  EXPECT_DOUBLE_EQ(roof.bandwidthFor(1e6, 0), 80e9);       // reading only
  EXPECT_NEAR(roof.bandwidthFor(7.5e5, 2.5e5), 1e6 / (5e5 / 40e9 + 5e5 / 80e9), 1);
  EXPECT_DOUBLE_EQ(roof.bandwidthFor(0, 0), 0);
  EXPECT_DOUBLE_EQ(Roof().bandwidthFor(1, 1), 0);
}

TEST(Roofs, TheLimitIsTheSlowerOfComputeAndMemory) {
  Work products{1e9, 1e9, 5e5, 5e5}, norm{1e9, 0, 5e5, 5e5};
  RoofLimit limit = limitOf(makeRoof(), products);
  EXPECT_TRUE(limit.compute);
  EXPECT_DOUBLE_EQ(limit.seconds, 0.01);
  limit = limitOf(makeRoof(), norm); // only matrix products are compared with the rate of multiply-adds
  EXPECT_FALSE(limit.compute);
  EXPECT_DOUBLE_EQ(limit.seconds, 1e6 / 40e9);
}

TEST(Roofs, AreMeasured) {
  heddle_device_info cpu;
  heddle_cpu_info(&cpu);
  llvm::StringRef features(cpu.features);
  const RoofLoops &loops = roofLoops(features.contains("avx512f"), features.contains("avx2"));
  RoofMeter meter(loops, nullptr, 1 << 20, {1e5});
  std::vector<Subject> subjects = meter.subjects();
  measure(subjects, {1e-3, 2e-3, 2});
  std::vector<Roof> roofs = meter.roofs(subjects);
  ASSERT_EQ(roofs.size(), 1u);
  EXPECT_GT(roofs[0].flops, 1e8);
  for (const BandwidthPoint &point : roofs[0].bandwidth) {
    EXPECT_GT(point.copy, 1e7);
    EXPECT_GT(point.read, 1e7);
  }
}

TEST(Roofs, AreMeasuredAroundTheGivenSizes) {
  auto sizes = [](std::vector<double> given) {
    RoofMeter meter(roofLoops(false, false), nullptr, 1 << 20, given);
    std::vector<Subject> subjects = meter.subjects();
    for (Subject &subject : subjects)
      subject.samples = {{1e-3}};
    std::vector<Roof> roofs = meter.roofs(subjects);
    std::vector<double> measured;
    for (const BandwidthPoint &point : roofs[0].bandwidth)
      measured.push_back(point.footprint);
    return measured;
  };
  using Sizes = std::vector<double>;
  double memory = 1 << 26;
  EXPECT_EQ(sizes({}), Sizes({memory})); // memory is always measured, for cold caches
  EXPECT_EQ(sizes({5e3}), Sizes({1 << 14, memory}));
  EXPECT_EQ(sizes({1.5e6, 1.6e6}), Sizes({1 << 20, 1 << 21, memory}));
  EXPECT_EQ(sizes({6e7}), Sizes({1 << 25, memory}));
  EXPECT_EQ(sizes({1e9}), Sizes({memory}));
}

TEST(RooflinePlot, ShowsRoofsAndPoints) {
  std::string svg;
  llvm::raw_string_ostream os(svg);
  writeRoofline(os, 100e9, {{"40 GB/s", 40e9}, {"none", 0}},
                {{"a<b", "1 ms", 45, 90e9, PlotPoint::Default},
                 {"other", "2 ms", 45, 45e9, PlotPoint::Other},
                 {"copy", "no product", 0, 0, PlotPoint::Kernel}});
  EXPECT_NE(svg.find("a&lt;b"), std::string::npos);
  EXPECT_NE(svg.find("class=\"point default\""), std::string::npos);
  EXPECT_NE(svg.find("class=\"point other\""), std::string::npos);
  EXPECT_EQ(svg.find("class=\"point kernel\""), std::string::npos); // 0 has no position on a logarithmic axis
  EXPECT_EQ(svg.find("r1"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

TEST(RooflinePlot, IsEmptyWithoutPoints) {
  std::string svg;
  llvm::raw_string_ostream os(svg);
  writeRoofline(os, 100e9, {}, {});
  EXPECT_EQ(svg, "");
}
