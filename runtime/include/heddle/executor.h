/* executor.h - Heddle's own thread pool, for programs that have none.
 * Linux only; elsewhere pass an executor of your own (abi.h). */
#ifndef HEDDLE_EXECUTOR_H
#define HEDDLE_EXECUTOR_H
#include "heddle/abi.h"
#ifdef __cplusplus
extern "C" {
#endif

/* The number of physical cores that this process may run on (its affinity mask), at least 1. */
HEDDLE_API size_t heddle_physical_cores(void);

/* A pool of threads - 1 workers, each pinned to a physical core of the process's affinity mask,
 * and moved to another where the caller comes to that one; the thread that calls parallel_for does
 * its share. Workers spin briefly for the next call before they sleep. Where not all of them can be
 * started, `threads` of the executor says how many there are. NULL: out of memory, or no thread
 * could be started. Free it with heddle_executor_destroy, when no call is under way. One call runs
 * at a time; a second caller, or a task that calls parallel_for itself, runs its tasks inline.
 * The child of a fork may go on with the pool: it gets workers of its own at its first call. Who
 * forks in a task gets HEDDLE_EXECUTOR_FAILED there, where tasks were left to workers.
 * threads 0: one per physical core. */
HEDDLE_API struct heddle_executor *heddle_executor_create(size_t threads);
HEDDLE_API void heddle_executor_destroy(struct heddle_executor *executor); /* NULL: nothing */

#ifdef __cplusplus
}
#endif
#endif /* HEDDLE_EXECUTOR_H */
