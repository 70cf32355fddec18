//===- CountedAllocations.h - allocations of the whole process ---*- C++ -*-===//

#ifndef HEDDLE_TESTS_RUNTIME_COUNTEDALLOCATIONS_H
#define HEDDLE_TESTS_RUNTIME_COUNTEDALLOCATIONS_H

/// Whether this program counts; else the others are 0. Sanitizers and valgrind have functions of their own.
bool countsAllocations();
/// How many there were so far, on any thread, by any library.
long long allocations();
/// How many of them were not freed.
long long aliveAllocations();

#endif // HEDDLE_TESTS_RUNTIME_COUNTEDALLOCATIONS_H
