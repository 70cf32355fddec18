//===- launch_test.cpp - workgroups in random order -----------------------===//
//
// heddle.launch runs a GPU kernel for a number of workgroups, and scf.forall in
// a kernel runs the threads of a workgroup. A GPU runs workgroups and threads in
// any order, so the interpreter runs both in a random order, which options.seed
// determines. Wrong results then show that a kernel depends on the order.
//
//===----------------------------------------------------------------------===//

#include "Run.h"

using Floats = std::vector<double>;

/// Returns a module that launches a kernel with `body` for four workgroups, on a buffer %m of eight zeros, and returns
/// the elements of %m. In the body, %g is the number of the workgroup, and %first = 2 %g is the index of the first of
/// the two elements of %m that belong to the workgroup.
static std::string groups(llvm::StringRef body) {
  return ("func.func private @kernel(%g: index, %m: memref<8xf32>) {\n"
          "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %c2 = arith.constant 2 : index\n"
          "  %one = arith.constant 1.0 : f32\n  %first = arith.muli %g, %c2 : index\n" +
          body + R"mlir(
    return
  }
  func.func @main() -> vector<8xf32> {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %zero = arith.constant 0.0 : f32
    %m = memref.alloc() : memref<8xf32>
    linalg.fill ins(%zero : f32) outs(%m : memref<8xf32>)
    heddle.launch @kernel for %c4 args(%m) : index, memref<8xf32>
    %v = vector.load %m[%c0] : memref<8xf32>, vector<8xf32>
    return %v : vector<8xf32>
  })mlir").str();
}

TEST(Launch, EveryThreadOfEveryWorkgroupRunsOnce) {
  Runner runner;
  EXPECT_EQ(runner.floats(groups(R"mlir(
    scf.forall (%t) in (2) {
      %i = arith.addi %first, %t : index
      %old = memref.load %m[%i] : memref<8xf32>
      %new = arith.addf %old, %one : f32
      memref.store %new, %m[%i] : memref<8xf32>
    }
  )mlir")), Floats(8, 1));
}

/// Each thread writes an element of shared memory in one loop, and reads the element of the other thread in a second
/// loop. All threads must finish the first loop before the second begins.
TEST(Launch, ThreadsSynchronizeAtTheEndOfALoop) {
  Runner runner;
  EXPECT_EQ(runner.floats(groups(R"mlir(
    %shared = memref.alloc() : memref<2xf32>
    scf.forall (%t) in (2) {
      %x = arith.index_cast %t : index to i64
      %f = arith.sitofp %x : i64 to f32
      memref.store %f, %shared[%t] : memref<2xf32>
    }
    scf.forall (%t) in (2) {
      %other = arith.subi %c1, %t : index
      %f = memref.load %shared[%other] : memref<2xf32>
      %i = arith.addi %first, %t : index
      memref.store %f, %m[%i] : memref<8xf32>
    }
  )mlir")), Floats({1, 0, 1, 0, 1, 0, 1, 0}));
}

/// Each thread computes its element as the previous element plus 1. The elements are 1 to 8 only if workgroups and
/// threads run in the order of their numbers.
TEST(Launch, WorkgroupsThatDependOnTheirOrderAreDetected) {
  std::string text = groups(R"mlir(
    scf.forall (%t) in (2) {
      %i = arith.addi %first, %t : index
      %p = arith.subi %i, %c1 : index
      %before = arith.maxsi %p, %c0 : index
      %x = memref.load %m[%before] : memref<8xf32>
      %y = arith.addf %x, %one : f32
      memref.store %y, %m[%i] : memref<8xf32>
    }
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
