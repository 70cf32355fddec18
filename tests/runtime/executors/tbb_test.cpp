//===- tbb_test.cpp - oneTBB's threads as an executor ---------------------===//

#include "ExecutorCheck.h"

#include "heddle/executors/tbb.hpp"

#include <oneapi/tbb/global_control.h>

namespace {

TEST(TbbExecutor, IsAnExecutor) {
  // Without this setting, oneTBB would use fewer than 3 threads on a machine with fewer cores.
  tbb::global_control atLeast(tbb::global_control::max_allowed_parallelism, 3);
  tbb::task_arena arena(3);
  heddle::TbbExecutor executor(arena);
  EXPECT_EQ(executor.get().threads, 3u);
  runsEveryTaskOnce(executor.get());
  keepsShortCallsApart(executor.get());
  takesCallersAtOnceAndCallsInTasks(executor.get());
  runsTasksAtOnce(executor.get());
}

} // namespace
