//===- statistics_test.cpp - statistics and timing of subjects ------------===//
//
// A subject is a function that is timed, such as a candidate of a benchmark. The subjects run in turn, in several
// rounds.
//
//===----------------------------------------------------------------------===//

#include "bench/Measure.h"
#include "bench/Statistics.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

using namespace heddle::bench;

TEST(Statistics, QuantilesAreInterpolated) {
  EXPECT_DOUBLE_EQ(quantile({3, 1, 2}, 0.5), 2);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 2, 3}, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile({0, 10}, 0.9), 9);
  EXPECT_DOUBLE_EQ(quantile({7}, 0.99), 7);
  EXPECT_DOUBLE_EQ(quantile({1, 2, 3}, 1), 3);
  EXPECT_DOUBLE_EQ(quantile({}, 0.5), 0);
}

TEST(Statistics, SpreadComparesRepetitions) {
  std::vector<std::vector<double>> repetitions = {{1, 1, 9}, {1, 1, 1}, {1.5, 1.5, 1.5}};
  Summary summary = summarize(repetitions);
  EXPECT_DOUBLE_EQ(summary.median, 1);
  EXPECT_DOUBLE_EQ(summary.best, 1);
  EXPECT_DOUBLE_EQ(summary.spread, 0.5); // a slow repetition counts, but a slow call does not
  EXPECT_DOUBLE_EQ(summarize({}).median, 0);
}

/// Compares a subject `row` with a subject `base`, by the seconds of their rounds and of their fastest calls.
static Ratio compare(std::vector<double> base, double baseBest, std::vector<double> row, double rowBest) {
  return compareRounds({std::move(base), baseBest}, {std::move(row), rowBest});
}

TEST(Ratio, IsComputedWithinRounds) {
  // The third round is slow for both subjects, and only the base has a fifth round.
  Ratio ratio = compare({2, 2.2, 20, 2, 2}, 2, {1, 1.1, 10, 1}, 1);
  EXPECT_EQ(ratio.count, 4u);
  EXPECT_DOUBLE_EQ(ratio.rounds.median, 2);
  EXPECT_DOUBLE_EQ(ratio.rounds.distance(), 0);
  EXPECT_DOUBLE_EQ(ratio.minima, 2);
  EXPECT_EQ(doubtOf(ratio), "");
  ratio = compare({1, 1, 2, 3, 4}, 1, {1, 1, 1, 1, 1}, 1);
  EXPECT_DOUBLE_EQ(ratio.rounds.lower, 1);
  EXPECT_DOUBLE_EQ(ratio.rounds.median, 2);
  EXPECT_DOUBLE_EQ(ratio.rounds.upper, 3);
  EXPECT_DOUBLE_EQ(ratio.rounds.distance(), 1);
  EXPECT_DOUBLE_EQ(Ratio().rounds.distance(), 0);
}

TEST(Ratio, IsDoubtedIfRoundsOrMinimaDisagree) {
  EXPECT_EQ(doubtOf(compare({1, 1, 1}, 1, {1, 1, 1}, 1)), "only 3 rounds");
  EXPECT_EQ(doubtOf(compare({1}, 1, {1}, 1)), "only 1 round");
  EXPECT_EQ(doubtOf(compare({1, 1, 1.3, 1.4}, 1, {1, 1, 1, 1}, 1)), "half of the rounds are between 1.00 and 1.32");
  EXPECT_EQ(doubtOf(compare({1, 1, 1.1, 1.1}, 1, {1, 1, 1, 1}, 1)), "");
  EXPECT_EQ(doubtOf(compare({1, 1, 1, 1}, 1, {1, 1, 1, 1}, 0.9)), "the ratio of the minima is 1.11");
  EXPECT_EQ(doubtOf(compare({1, 1, 1, 1}, 0.9, {1, 1, 1, 1}, 1)), "the ratio of the minima is 0.90");
  EXPECT_EQ(doubtOf(compare({1, 1, 1, 1}, 0.96, {1, 1, 1, 1}, 1)), "");
}

TEST(Measure, EachSubjectHasEachRepetition) {
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
      EXPECT_GT(repetition.iterations, 0);
      EXPECT_GT(repetition.realSeconds, 0);
      measured += repetition.iterations;
    }
    EXPECT_LE(measured, int64_t(calls[i]));
    EXPECT_GT(subjects[i].summary().median, 0);
  }
}

TEST(Measure, SubjectsTakeTurns) {
  std::string turns; // the letter of a subject is appended when it runs after another subject
  std::vector<Subject> subjects(2);
  for (size_t i = 0; i < 2; ++i)
    subjects[i].call = [&turns, letter = char('a' + i)](size_t) {
      if (turns.empty() || turns.back() != letter)
        turns += letter;
    };
  measure(subjects, {1e-5, 2e-3, 8});
  // After the warm-ups, both subjects run in each of eight rounds. If a subject ends one round and begins the next
  // round, this counts as one turn.
  ASSERT_GE(turns.size(), 1 + 8u);
  ASSERT_LE(turns.size(), 2 + 16u);
  for (Subject &subject : subjects)
    EXPECT_EQ(subject.rounds().seconds.size(), 8u);
}

TEST(Measure, TheDurationBoundsRepetitionsAndCalls) {
  size_t calls[2] = {0, 0};
  std::vector<Subject> subjects(2);
  subjects[0].call = [&](size_t) { // each later call takes longer than the first call, which is in the warm-up
    std::this_thread::sleep_for(std::chrono::microseconds(calls[0]++ ? 10000 : 100));
  };
  subjects[1].call = [&](size_t) { // the duration is too short for two repetitions
    ++calls[1];
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
  };
  measure(subjects, {1e-5, 0.1, 5});
  EXPECT_EQ(subjects[0].samples.size(), 5u);
  EXPECT_LE(calls[0], 1 + 5 * 4u);
  EXPECT_EQ(subjects[1].samples.size(), 1u);
  EXPECT_LE(calls[1], 4u); // one in the warm-up, one uncounted in the repetition, and two samples
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
  EXPECT_LE(samples, 20u);       // at 2 ms for each preparation, 20 calls fit into 40 ms
  EXPECT_EQ(samples + 1, calls); // one call is the warm-up
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
