/* touch.c - fills the caches of this process's CPUs with memory that no measured program uses. */
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

enum { line = 64 }; /* bytes of a cache line */

struct memory {
  const volatile char *data;
  size_t size;
};

static void *read_lines(void *argument) {
  const struct memory *memory = argument;
  for (size_t i = 0; i < memory->size; i += line)
    (void)memory->data[i];
  return NULL;
}

/* Starts a thread on each CPU that the caller may use. Each thread reads all of the memory; the function waits for all
 * of them. New threads are started because the threads of the measured programs are not accessible. Returns 0, the
 * error of pthread_create(), or -1 if the allowed CPUs cannot be determined. */
int heddle_bench_touch(const char *data, size_t size) {
  struct memory memory = {data, size};
  pthread_t threads[CPU_SETSIZE];
  cpu_set_t allowed;
  int count = 0, status = sched_getaffinity(0, sizeof(allowed), &allowed) ? -1 : 0;
  for (int cpu = 0; cpu < CPU_SETSIZE && !status; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed))
      continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setaffinity_np(&attributes, sizeof(one), &one);
    status = pthread_create(&threads[count], &attributes, read_lines, &memory);
    count += !status;
    pthread_attr_destroy(&attributes);
  }
  for (int i = 0; i < count; ++i)
    pthread_join(threads[i], NULL);
  return status;
}
