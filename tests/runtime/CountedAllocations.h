//===- CountedAllocations.h - counts allocations of the process -*- C++ -*-===//

#ifndef HEDDLE_TESTS_RUNTIME_COUNTEDALLOCATIONS_H
#define HEDDLE_TESTS_RUNTIME_COUNTEDALLOCATIONS_H

/// Whether allocations are counted; otherwise the counts are 0. Sanitizers and valgrind replace malloc themselves.
bool countsAllocations();
/// The number of allocations so far, on any thread, by any library.
long long allocations();
/// The number of allocations that were not freed.
long long aliveAllocations();

#endif // HEDDLE_TESTS_RUNTIME_COUNTEDALLOCATIONS_H
