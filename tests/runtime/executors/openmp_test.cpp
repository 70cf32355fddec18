//===- openmp_test.cpp - OpenMP's threads as an executor ------------------===//

#include "ExecutorCheck.h"

#include "heddle/executors/openmp.hpp"

namespace {

TEST(OpenmpExecutor, IsAnExecutor) {
  const heddle_executor executor = heddle::openmpExecutor(3);
  EXPECT_EQ(executor.threads, 3u);
  runsEveryTaskOnce(executor);
  keepsShortCallsApart(executor);
  takesCallersAtOnceAndCallsInTasks(executor);
  runsTasksAtOnce(executor);
}

/// Without an argument, the executor has as many threads as OpenMP uses for a parallel region.
TEST(OpenmpExecutor, HasAsManyThreadsAsAParallelRegion) {
  omp_set_num_threads(2);
  EXPECT_EQ(heddle::openmpExecutor().threads, 2u);
  runsEveryTaskOnce(heddle::openmpExecutor());
}

} // namespace
