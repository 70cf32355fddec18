/* device.h - what can run generated code here. */
#ifndef HEDDLE_DEVICE_H
#define HEDDLE_DEVICE_H
#include "heddle/abi.h"
#ifdef __cplusplus
extern "C" {
#endif

struct heddle_device_info {
  char name[64];         /* "cpu" */
  char description[128]; /* the maker's name for it */
  char features[256];    /* of those that generated code makes use of, separated by spaces */
  uint64_t cores;        /* physical, that this process may use */
  uint64_t l1_data, l2, l3; /* bytes of cache that one core reaches; 0: unknown */
};

/* Fills in what the CPU that this process runs on can do. */
void heddle_cpu_info(struct heddle_device_info *info);

#ifdef __cplusplus
}
#endif
#endif /* HEDDLE_DEVICE_H */
