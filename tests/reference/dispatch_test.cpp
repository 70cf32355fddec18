//===- dispatch_test.cpp - tasks in random order --------------------------===//
//
// heddle.dispatch runs a task for each number below a count. Compiled code runs
// tasks on several threads, so the results must not depend on their order. The
// interpreter runs them in a random order, which options.seed determines, and
// with undefined scratch memory, so that wrong results show such a dependence.
//
//===----------------------------------------------------------------------===//

#include "Run.h"

using Floats = std::vector<double>;

/// Returns a module that dispatches eight tasks with the body `task` on a buffer %m of eight zeros and returns the
/// elements of %m. In the body, %i is the number of the task and %s a buffer of one f32 in the task's scratch memory.
static std::string tasks(llvm::StringRef task) {
  return ("func.func private @task(%i: index, %scratch: memref<4xi8>, %m: memref<8xf32>) {\n"
          "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %one = arith.constant 1.0 : f32\n"
          "  %s = memref.view %scratch[%c0][] : memref<4xi8> to memref<1xf32>\n" +
          task + R"mlir(
    return
  }
  func.func @main() -> vector<8xf32> {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant 0.0 : f32
    %m = memref.alloc() : memref<8xf32>
    %arena = memref.alloc() : memref<68xi8>
    %c64 = arith.constant 64 : index
    %scratch = memref.view %arena[%c64][] : memref<68xi8> to memref<4xi8>
    linalg.fill ins(%zero : f32) outs(%m : memref<8xf32>)
    heddle.dispatch @task for %c8 in %arena scratch(%scratch) args(%m)
        : index, memref<68xi8>, memref<4xi8>, memref<8xf32>
    %v = vector.load %m[%c0] : memref<8xf32>, vector<8xf32>
    return %v : vector<8xf32>
  })mlir").str();
}

TEST(Dispatch, EveryTaskRunsOnce) {
  Runner runner;
  EXPECT_EQ(runner.floats(tasks(R"mlir(
    memref.store %one, %s[%c0] : memref<1xf32>
    %x = memref.load %s[%c0] : memref<1xf32>
    %old = memref.load %m[%i] : memref<8xf32>
    %new = arith.addf %old, %x : f32
    memref.store %new, %m[%i] : memref<8xf32>
  )mlir")), Floats(8, 1));
}

/// Each task adds 1 to the result of the task with the previous number. The results are 1 to 8 only if the tasks run in
/// the order of their numbers.
TEST(Dispatch, TasksThatDependOnTheirOrderAreDetected) {
  std::string text = tasks(R"mlir(
    %p = arith.subi %i, %c1 : index
    %before = arith.maxsi %p, %c0 : index
    %x = memref.load %m[%before] : memref<8xf32>
    %y = arith.addf %x, %one : f32
    memref.store %y, %m[%i] : memref<8xf32>
  )mlir");
  std::vector<Floats> results;
  for (uint64_t seed : {1, 2}) {
    Runner runner;
    runner.options.seed = seed;
    results.push_back(runner.floats(text));
    EXPECT_NE(results.back(), Floats({1, 2, 3, 4, 5, 6, 7, 8}));
  }
  EXPECT_NE(results[0], results[1]) << "the order must depend on the seed";
}

/// Each task copies an element of its scratch memory and then writes 1 there. The copies are NaN, since the interpreter
/// represents unwritten floats by NaN and marks all scratch memory as unwritten before each task.
TEST(Dispatch, ScratchMemoryIsUnwrittenBeforeEachTask) {
  Runner runner;
  for (double x : runner.floats(tasks(R"mlir(
    %x = memref.load %s[%c0] : memref<1xf32>
    memref.store %x, %m[%i] : memref<8xf32>
    memref.store %one, %s[%c0] : memref<1xf32>
  )mlir")))
    EXPECT_TRUE(std::isnan(x));
}
