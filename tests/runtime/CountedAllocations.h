//===- CountedAllocations.h - counts allocations of the process -*- C++ -*-===//

#ifndef HEDDLE_TESTS_RUNTIME_COUNTEDALLOCATIONS_H
#define HEDDLE_TESTS_RUNTIME_COUNTEDALLOCATIONS_H

/// Returns whether allocations are counted; otherwise the counts are 0. Sanitizers and valgrind replace malloc
/// themselves.
bool countsAllocations();
/// Returns the number of allocations so far, on any thread and by any library.
long long allocations();
/// Returns the number of allocations that were not freed.
long long aliveAllocations();

#endif // HEDDLE_TESTS_RUNTIME_COUNTEDALLOCATIONS_H
