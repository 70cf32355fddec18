//===- CountedAllocations.h - counts allocations of the process -*- C++ -*-===//

#ifndef HEDDLE_TESTS_RUNTIME_COUNTEDALLOCATIONS_H
#define HEDDLE_TESTS_RUNTIME_COUNTEDALLOCATIONS_H

/// Returns whether allocations are counted. With sanitizers or valgrind, which replace malloc themselves, they are not,
/// and the functions below return 0.
bool countsAllocations();
/// Returns the number of allocations so far, by all threads and libraries of the process.
long long allocations();
/// Returns the number of allocations that were not freed.
long long aliveAllocations();

#endif // HEDDLE_TESTS_RUNTIME_COUNTEDALLOCATIONS_H
