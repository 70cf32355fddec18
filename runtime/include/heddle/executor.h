/* executor.h - Heddle's own thread pool, for programs that have none.
 * The pool exists on Linux only; on other systems pass an executor of your own (abi.h). C99 and C++. */
#ifndef HEDDLE_EXECUTOR_H
#define HEDDLE_EXECUTOR_H
#include "heddle/abi.h"
#ifdef __cplusplus
extern "C" {
#endif

/* The number of physical cores that this process may run on (its affinity mask), at least 1. */
HEDDLE_API size_t heddle_physical_cores(void);

/* Creates a pool that runs tasks on `threads` threads (0: one for each physical core; at most 1024): threads - 1
 * workers and the thread that calls parallel_for. If the process's affinity mask has a physical core for each thread,
 * each worker is pinned to a core of its own; if the calling thread runs on the core of a worker, this worker moves to
 * a core without a worker. After a call, workers spin briefly before they sleep. If some workers cannot be started, the
 * executor's `threads` is smaller. Returns NULL if there is not enough memory, or if the pool needs workers and none
 * could be started. Free the pool with heddle_executor_destroy when no call is running.
 *
 * The pool serves one call at a time: a second caller, or a task that calls parallel_for, runs its tasks on its own
 * thread. The child of a fork may use the pool: its first call starts new workers. If a task on the calling thread
 * forks while workers are running other tasks, parallel_for returns HEDDLE_EXECUTOR_FAILED in the child. */
HEDDLE_API struct heddle_executor *heddle_executor_create(size_t threads);
HEDDLE_API void heddle_executor_destroy(struct heddle_executor *executor); /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif /* HEDDLE_EXECUTOR_H */
