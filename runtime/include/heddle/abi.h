/* abi.h - what every generated header shares: status codes and the executor.
 * C99 and C++. A generated header holds the same text, so that it stands alone. The guard
 * around it has the number of the ABI in which it last changed: headers of ABI 2 and 3 fit
 * into one program. */
#ifndef HEDDLE_ABI_H
#define HEDDLE_ABI_H
#include <stddef.h>
#include <stdint.h>
#ifndef HEDDLE_API /* before each function of the runtime's; empty in the archive, so that nothing of it is exported */
#define HEDDLE_API __attribute__((visibility("default")))
#endif
#ifdef __cplusplus
extern "C" {
#endif
#ifndef HEDDLE_ABI_2 /* the same text in every generated header and in <heddle/abi.h> */
#define HEDDLE_ABI_2
enum heddle_status {
  HEDDLE_OK = 0,
  HEDDLE_INVALID_ARGUMENT,   /* a required pointer is null or misaligned, a size out of range */
  HEDDLE_INDEX_OUT_OF_RANGE, /* an index, given or computed, is outside its range */
  HEDDLE_ARENA_TOO_SMALL,
  HEDDLE_UNSUPPORTED_CPU,    /* no variant in this library runs here */
  HEDDLE_INVALID_WEIGHTS,    /* truncated, altered, or of another model */
  HEDDLE_EXECUTOR_FAILED,    /* the host's executor did not run what it was given */
  HEDDLE_UNSUPPORTED_DEVICE, /* it lacks a feature, or a limit is too small, for the code */
  HEDDLE_OUT_OF_DEVICE_MEMORY,
  HEDDLE_DEVICE_LOST,        /* it stopped working: only closing it is left */
  HEDDLE_DEVICE_ERROR,       /* a call of its driver failed otherwise */
  HEDDLE_STATE_NOT_INITIALISED,    /* NAME_state_init did not run, or its header is damaged */
  HEDDLE_STATE_OF_ANOTHER_MODEL,
  HEDDLE_STATE_OF_OTHER_SIZES,     /* initialised for another batch or capacity than the call's */
  HEDDLE_STATE_TOO_SMALL,          /* fewer bytes than NAME_state_size says */
  HEDDLE_STATE_NOT_FILLED,         /* the past is longer than what is filled, or goes back to where it cannot */
  HEDDLE_STATE_FULL                /* past and new rows are more than the capacity */
};
struct heddle_executor { /* the host's thread pool; called from several threads at once */
  void *self;
  size_t threads; /* at most this many tasks run at a time */
  /* Runs task(data, i) once for each i < count, in any order; returns HEDDLE_OK when all are done. Where it cannot, it
   * returns another status when none runs any more: the calling thread does what is left of the call, whose status
   * that is then. Tasks do not fail. */
  enum heddle_status (*parallel_for)(void *self, size_t count, void (*task)(void *data, size_t i), void *data);
};
struct heddle_device; /* what code for a GPU runs on: <heddle/device.h> */
struct heddle_model; /* names, shapes and types as data: <heddle/model.h> */
#endif
#ifdef __cplusplus
}
#endif
#endif /* HEDDLE_ABI_H */
