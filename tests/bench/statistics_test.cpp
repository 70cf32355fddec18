//===- statistics_test.cpp ------------------------------------------------===//

#include "bench/Measure.h"
#include "bench/Statistics.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

using namespace heddle::bench;

TEST(Statistics, QuantileLiesBetweenNeighbours) {
  EXPECT_DOUBLE_EQ(quantile({3, 1, 2}, 0.5), 2);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 2, 3}, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile({0, 10}, 0.9), 9);
  EXPECT_DOUBLE_EQ(quantile({7}, 0.99), 7);
  EXPECT_DOUBLE_EQ(quantile({1, 2, 3}, 1), 3);
  EXPECT_DOUBLE_EQ(quantile({}, 0.5), 0);
}

TEST(Statistics, SpreadIsBetweenRepetitions) {
  std::vector<std::vector<double>> repetitions = {{1, 1, 9}, {1, 1, 1}, {1.5, 1.5, 1.5}};
  Summary summary = summarize(repetitions);
  EXPECT_DOUBLE_EQ(summary.median, 1);
  EXPECT_DOUBLE_EQ(summary.best, 1);
  EXPECT_DOUBLE_EQ(summary.spread, 0.5); // one slow call does not count, a slow repetition does
  EXPECT_DOUBLE_EQ(summarize({}).median, 0);
}

TEST(Measure, EveryRepetitionHasAsManyCalls) {
  Timing timing{0.001, 0.01, 3};
  size_t calls[2] = {0, 0};
  std::vector<Subject> subjects(2);
  for (size_t i = 0; i < 2; ++i) {
    subjects[i].name = std::to_string(i);
    subjects[i].call = [&calls, i](size_t) { ++calls[i]; };
  }
  measure(subjects, timing);
  for (size_t i = 0; i < 2; ++i) {
    ASSERT_EQ(subjects[i].samples.size(), 3u);
    ASSERT_EQ(subjects[i].repetitions.size(), 3u);
    int64_t measured = 0;
    for (const Repetition &repetition : subjects[i].repetitions) {
      EXPECT_EQ(repetition.iterations, subjects[i].repetitions[0].iterations);
      EXPECT_GT(repetition.realSeconds, 0);
      measured += repetition.iterations;
    }
    EXPECT_LE(measured, int64_t(calls[i]));
    EXPECT_GT(subjects[i].summary().median, 0);
  }
}

TEST(Measure, PreparationComesBeforeEachCallAndTakesNoTime) {
  bool prepared = false;
  size_t calls = 0;
  std::vector<Subject> subjects(1);
  subjects[0].prepare = [&] {
    EXPECT_FALSE(prepared);
    prepared = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  };
  subjects[0].call = [&](size_t) {
    EXPECT_TRUE(prepared);
    prepared = false;
    ++calls;
  };
  measure(subjects, {0.001, 0.04, 2});
  size_t samples = 0;
  for (const std::vector<double> &repetition : subjects[0].samples)
    samples += repetition.size();
  EXPECT_LE(samples, 20u);       // how many fit is a matter of the preparation, too
  EXPECT_EQ(samples + 1, calls); // one call warms up
  EXPECT_LT(subjects[0].summary().best, 0.001);
}

TEST(Measure, CallersHaveNumbers) {
  std::atomic<size_t> calls[3] = {};
  std::vector<Subject> subjects(1);
  subjects[0].call = [&](size_t caller) { ++calls[caller]; };
  subjects[0].callers = 3;
  measure(subjects, {0.001, 0.01, 2});
  for (auto &count : calls)
    EXPECT_GT(count.load(), 0u);
  EXPECT_GT(subjects[0].repetitions[1].wallSeconds, 0);
}
