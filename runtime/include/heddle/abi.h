/* abi.h - the declarations that all generated headers share: status codes and the executor.
 * C99 and C++. Each generated header contains a copy of this text, so that a program can include the header without
 * this file. The guard around the text names the ABI version in which the text last changed, so headers of ABI 2 and
 * ABI 3 can be included in one program. In comments, NAME is the name of the model, with which the names of a library's
 * functions begin. A state is memory in which a model keeps rows, such as keys and values of tokens, from call to call.
 * The past is the number of rows that are filled before a call, and the capacity is the maximum number of rows. */
#ifndef HEDDLE_ABI_H
#define HEDDLE_ABI_H
#include <stddef.h>
#include <stdint.h>
#ifndef HEDDLE_API /* marks each function of the runtime; empty in the static archive, so that nothing is exported */
#define HEDDLE_API __attribute__((visibility("default")))
#endif
#ifdef __cplusplus
extern "C" {
#endif
#ifndef HEDDLE_ABI_2 /* this text is the same in every generated header and in <heddle/abi.h> */
#define HEDDLE_ABI_2
enum heddle_status {
  HEDDLE_OK = 0,
  HEDDLE_INVALID_ARGUMENT,   /* such as a missing pointer, a size out of range, or a model that is not initialised */
  HEDDLE_INDEX_OUT_OF_RANGE, /* an index, given by the caller or computed, is outside its range */
  HEDDLE_ARENA_TOO_SMALL,
  HEDDLE_UNSUPPORTED_CPU,    /* this CPU can run none of the variants in the library */
  HEDDLE_INVALID_WEIGHTS,    /* the weights are truncated, altered, or belong to another model */
  HEDDLE_EXECUTOR_FAILED,    /* the caller's executor did not run the tasks that it was given */
  HEDDLE_UNSUPPORTED_DEVICE, /* the device lacks a feature that the code needs, or one of its limits is too small */
  HEDDLE_OUT_OF_DEVICE_MEMORY,
  HEDDLE_DEVICE_LOST,        /* the device stopped working; the program can only close it */
  HEDDLE_DEVICE_ERROR,       /* a call of the device's driver failed for another reason */
  HEDDLE_STATE_NOT_INITIALISED,    /* NAME_state_init was not called, or the state's header is damaged */
  HEDDLE_STATE_OF_ANOTHER_MODEL,
  HEDDLE_STATE_OF_OTHER_SIZES,     /* the call has other sizes than the state, for example another batch size */
  HEDDLE_STATE_TOO_SMALL,          /* the memory has fewer bytes than NAME_state_size returns */
  HEDDLE_STATE_NOT_FILLED,         /* the past is negative or exceeds the number of filled rows. If each call
                                    * replaces a state as a whole, the past must also be 0 or this number, and it
                                    * must be 0 if the previous call failed */
  HEDDLE_STATE_FULL                /* the past rows and the new rows together exceed the capacity */
};
struct heddle_executor { /* the caller's thread pool; it may be called from several threads at once */
  void *self;
  size_t threads; /* the maximum number of tasks that run at a time */
  /* Runs task(data, i) once for each i < count, in any order, and returns HEDDLE_OK when all tasks are done. A pool
   * that cannot run all tasks waits for the running ones and returns another status: the calling thread then executes
   * the remaining tasks itself, and the call returns this status. A task cannot fail. */
  enum heddle_status (*parallel_for)(void *self, size_t count, void (*task)(void *data, size_t i), void *data);
};
struct heddle_device; /* a device that runs generated code, such as a GPU: <heddle/device.h> */
struct heddle_model; /* a description of names, shapes and types as data: <heddle/model.h> */
#endif
#ifdef __cplusplus
}
#endif
#endif /* HEDDLE_ABI_H */
