// driver.h - what a kind of device implements: these three nouns, and how it is opened. Everything that all kinds
// share is written once: table.cpp checks what it is passed and calls these, where arguments are as
// <heddle/device.h> asks for. Objects free what they hold when they are deleted.
#ifndef HEDDLE_DEVICES_DRIVER_H
#define HEDDLE_DEVICES_DRIVER_H

#include "bindings.h"

#include <atomic>
#include <memory>
#include <pthread.h>

namespace heddle {
class Driver;

class Mutex {
public:
  Mutex() = default;
  Mutex(const Mutex &) = delete;
  void lock() { pthread_mutex_lock(&mutex); }
  void unlock() { pthread_mutex_unlock(&mutex); }

private:
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
};

// Holds a mutex until the end of its scope. (The standard's own would throw.)
class Lock {
public:
  explicit Lock(Mutex &mutex) : mutex(mutex) { mutex.lock(); }
  Lock(const Lock &) = delete;
  ~Lock() { mutex.unlock(); }

private:
  Mutex &mutex;
};

// Keeps the words, as printf forms them, for heddle_device::error and returns the status.
heddle_status fail(heddle_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));
heddle_status failOutOfHostMemory();
const char *lastError(); // of this thread

// What lies in a program's bytes.
struct CodeBytes {
  const char *begin = nullptr;
  uint64_t size = 0;
  bool operator==(const CodeBytes &other) const { return begin == other.begin && size == other.size; }
};
// Where a kernel's code lies, which checkProgram found within the program. Most often that of all kernels is one.
inline CodeBytes codeOf(const heddle_program &program, const heddle_kernel &kernel) {
  const char *bytes = static_cast<const char *>(program.bytes);
  return kernel.code_size ? CodeBytes{bytes + kernel.code_offset, kernel.code_size} : CodeBytes{bytes, program.size};
}

struct Copies {
  const heddle_copy *copies;
  uint64_t count;
};
} // namespace heddle

struct heddle_memory {
  heddle::Driver *driver = nullptr;
  uint64_t size = 0, number = 0; // the number: of all memories that the driver made

  virtual ~heddle_memory() = default;
  virtual heddle_status upload(uint64_t offset, const void *host, uint64_t size) = 0;
  virtual heddle_status download(uint64_t offset, void *host, uint64_t size) = 0;
};

struct heddle_code {
  heddle::Driver *driver = nullptr;
  uint64_t kernelCount = 0;
  std::unique_ptr<uint64_t[]> buffers; // of each kernel

  virtual ~heddle_code() = default;
  // `staging` bytes at most are copied each way in a replay. Timed only where the driver has timers. Where a memory is
  // null, launches wait for bind().
  virtual heddle_status record(heddle_memory *const *memories, uint64_t memoryCount, const heddle_launch *launches,
                               uint64_t launchCount, uint64_t staging, bool timed, heddle_launches *&recorded) = 0;
};

struct heddle_launches {
  heddle::Driver *driver = nullptr;
  uint64_t memoryCount = 0, launchCount = 0, staging = 0;
  std::unique_ptr<heddle_memory *[]> memories;
  std::unique_ptr<heddle::OpenMemories> open; // null: there are none
  bool timed = false, replayed = false;
  heddle::Mutex replaying;

  virtual ~heddle_launches() = default;
  // What a view is in the next replay.
  heddle::Place placeOf(const heddle_view &view) const;
  // Where memories are open: makes the launches with what is bound, before the first replay and where that changes.
  virtual heddle_status bind() = 0;
  virtual heddle_status replay(heddle::Copies in, heddle::Copies out) = 0; // one at a time
  virtual heddle_status times(double *seconds) = 0;                        // of the last replay, where it is timed
};

namespace heddle {

class Driver {
public:
  heddle_device table;
  heddle_device_limits limits = {};
  char name[64] = "", description[256] = "", version[512] = "";
  bool hasTimers = false;
  std::atomic<uint64_t> allocated{0}; // bytes of limits.memory
  std::atomic<uint64_t> numbers{0};   // memories that were made

  Driver(); // fills in the functions of the table
  virtual ~Driver() = default;
  // Those below make an object and set its own members; its base's are set by who calls.
  virtual heddle_status allocate(uint64_t size, heddle_memory *&memory) = 0;
  virtual heddle_status load(const heddle_program &program, heddle_code *&code) = 0;
  // What is kept of compiled code; what is restored is whole.
  virtual heddle_status saveCache(std::unique_ptr<char[]> &data, uint64_t &size) = 0;
  virtual heddle_status restoreCache(const char *data, uint64_t size) = 0;

  // Takes bytes off what is left of limits.memory, before they are allocated, and gives them back.
  heddle_status reserve(uint64_t size);
  void unreserve(uint64_t size) { allocated -= size; }
};

// How kinds of devices (devices.def) are opened and counted. `which`: what follows the colon, or NULL. Where they fail, lastError()
// has the reason.
Driver *openNull(const char *which);
size_t countNull();
#define HEDDLE_DEVICE(name, Stem, language, extension)                                                                 \
  Driver *open##Stem(const char *which);                                                                               \
  size_t count##Stem();
#include "devices.def"

} // namespace heddle

#endif // HEDDLE_DEVICES_DRIVER_H
