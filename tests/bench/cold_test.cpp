//===- cold_test.cpp - calls with cold caches -----------------------------===//
//
// Before each timed call, ColdCaches reads a block of other memory on each thread, so that the caches do not contain
// the data of the call.
//
//===----------------------------------------------------------------------===//

#include "bench/ColdCaches.h"
#include "bench/Lines.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>

using namespace heddle::bench;

/// Runs each task on a thread of its own, starting with the last task. Adds the number of tasks to the counter `self`.
static heddle_status parallelFor(void *self, size_t count, void (*task)(void *, size_t), void *data) {
  std::vector<std::thread> threads;
  for (size_t i = count; i--;)
    threads.emplace_back(task, data, i);
  for (std::thread &thread : threads)
    thread.join();
  *static_cast<size_t *>(self) += count;
  return HEDDLE_OK;
}

TEST(ColdCaches, EachThreadReadsTheBlock) {
  size_t tasks = 0;
  heddle_executor executor{&tasks, 3, parallelFor};
  auto cold = ColdCaches::create(1000, &executor);
  ASSERT_TRUE(bool(cold)) << llvm::toString(cold.takeError());
  cold->touch();
  cold->touch();
  EXPECT_EQ(tasks, 6u);
}

TEST(ColdCaches, TooLittleMemoryIsAnError) {
  auto cold = ColdCaches::create(size_t(1) << 60, nullptr);
  ASSERT_FALSE(bool(cold));
  EXPECT_EQ(llvm::toString(cold.takeError()).find("making caches cold needs 1099511627776 MiB of memory, but only "),
            0u);
}

TEST(ColdCaches, AreNamedInTheReport) {
  TableValues table;
  table.coldBytes = 64000000;
  EXPECT_NE(conditionsLine(ReportValues(), table).find(", caches cold: 64.0 MB of other memory read before each call"),
            std::string::npos);
  EXPECT_STREQ(bandwidthKind(table), "with cold caches");
}
