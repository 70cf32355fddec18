//===- CountedAllocations.h - counts allocations of the process -*- C++ -*-===//

#ifndef HEDDLE_TESTS_RUNTIME_COUNTEDALLOCATIONS_H
#define HEDDLE_TESTS_RUNTIME_COUNTEDALLOCATIONS_H

/// Returns whether allocations are counted. Sanitizers and valgrind replace malloc themselves; then no allocations are
/// counted, and the functions below return 0.
bool countsAllocations();
/// Returns the number of allocations so far, by all threads and libraries of the process.
long long allocations();
/// Returns the number of allocations that were not freed yet.
long long aliveAllocations();

#endif // HEDDLE_TESTS_RUNTIME_COUNTEDALLOCATIONS_H
