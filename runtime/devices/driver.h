// driver.h - the interface that each kind of device implements: memories, code, launches, and a driver, which is an
// open device. Their functions implement the functions of heddle_device (<heddle/device.h>). table.cpp, which all kinds
// share, checks the arguments before it calls a function of this header. Objects free their resources when they are
// deleted.
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

// Holds a mutex until the end of its scope. (std::lock_guard is not used because std::mutex may throw.)
class Lock {
public:
  explicit Lock(Mutex &mutex) : mutex(mutex) { mutex.lock(); }
  Lock(const Lock &) = delete;
  ~Lock() { mutex.unlock(); }

private:
  Mutex &mutex;
};

// Formats a text like printf, stores it as the last error of this thread, and returns `status`. heddle_device::error
// returns the text.
heddle_status fail(heddle_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Stores an error text after an allocation on the host has failed, and returns HEDDLE_OUT_OF_DEVICE_MEMORY.
heddle_status failOutOfHostMemory();
const char *lastError(); // the text of the last failure in this thread

// A range of the bytes of a heddle_program.
struct CodeBytes {
  const char *begin = nullptr;
  uint64_t size = 0;
  bool operator==(const CodeBytes &other) const { return begin == other.begin && size == other.size; }
};
// The range of a kernel's code. checkProgram (checks.h) has checked that the range lies within the program. Several
// kernels may have the same range.
inline CodeBytes codeOf(const heddle_program &program, const heddle_kernel &kernel) {
  const char *bytes = static_cast<const char *>(program.bytes);
  return kernel.code_size ? CodeBytes{bytes + kernel.code_offset, kernel.code_size} : CodeBytes{bytes, program.size};
}

// A list of copies, an array of `count` elements.
struct Copies {
  const heddle_copy *copies;
  uint64_t count;
};
} // namespace heddle

struct heddle_memory {
  heddle::Driver *driver = nullptr;
  // `size` is in bytes. `number` is 1 for the first memory that the driver allocated or wrapped, 2 for the next, ...
  uint64_t size = 0, number = 0;
  bool isWrapped = false; // whether other code has allocated the bytes and will free them

  virtual ~heddle_memory() = default;
  virtual heddle_status upload(uint64_t offset, const void *host, uint64_t size) = 0;
  virtual heddle_status download(uint64_t offset, void *host, uint64_t size) = 0;
  // Stores the device address of the memory. A kind of device that cannot share memory inherits this function.
  virtual heddle_status share(uint64_t &address);
};

struct heddle_code {
  heddle::Driver *driver = nullptr;
  uint64_t kernelCount = 0;
  std::unique_ptr<uint64_t[]> buffers; // the number of buffers of each kernel

  virtual ~heddle_code() = default;
  // Records launches. One replay copies at most `staging` bytes in from the host and at most `staging` bytes out.
  // `timed` is set only if the driver has timers. If an entry of `memories` is null, bind() completes the launches
  // later.
  virtual heddle_status record(heddle_memory *const *memories, uint64_t memoryCount, const heddle_launch *launches,
                               uint64_t launchCount, uint64_t staging, bool timed, heddle_launches *&recorded) = 0;
};

struct heddle_launches {
  heddle::Driver *driver = nullptr;
  // `staging` is the maximum number of bytes that one replay copies in from the host, and also out to the host.
  uint64_t memoryCount = 0, launchCount = 0, staging = 0;
  std::unique_ptr<heddle_memory *[]> memories; // a null entry is an open memory: each replay binds an allocation to it
  std::unique_ptr<heddle::OpenMemories> open;  // the bindings of open memories; null if there are none
  bool timed = false, replayed = false;       // replayed: whether the last replay succeeded
  heddle::Mutex replaying;                    // held during a replay

  virtual ~heddle_launches() = default;
  // The memory range of a view in the next replay.
  heddle::Place placeOf(const heddle_view &view) const;
  // If there are open memories, completes the launches with the bound memories. Called before the first replay, and
  // again when a binding has changed.
  virtual heddle_status bind() = 0;
  virtual heddle_status replay(heddle::Copies in, heddle::Copies out) = 0; // never called concurrently
  // Stores the seconds of each launch in the last replay; called only if `timed`.
  virtual heddle_status times(double *seconds) = 0;
};

namespace heddle {

class Driver {
public:
  heddle_device table; // the functions and properties of the device for the host program
  heddle_device_limits limits = {};
  char name[64] = "", description[256] = "", version[512] = "";
  bool hasTimers = false;
  std::atomic<uint64_t> allocated{0}; // the number of bytes in use, at most limits.memory
  std::atomic<uint64_t> numbers{0};   // the number of memories that have been allocated so far

  Driver(); // fills in the functions of the table
  virtual ~Driver() = default;
  // allocate creates a heddle_memory, and load creates a heddle_code. Both initialise the members of the derived class;
  // the caller sets the members of the base class.
  virtual heddle_status allocate(uint64_t size, heddle_memory *&memory) = 0;
  virtual heddle_status load(const heddle_program &program, heddle_code *&code) = 0;
  // saveCache stores the driver's compiled form of all loaded programs in a new array. restoreCache takes bytes that
  // saveCache has stored; the caller has checked their checksum.
  virtual heddle_status saveCache(std::unique_ptr<char[]> &data, uint64_t &size) = 0;
  virtual heddle_status restoreCache(const char *data, uint64_t size) = 0;
  // These functions share memory with other code (<heddle/device.h>). wrap creates a heddle_memory and sets isWrapped,
  // and the caller sets the other members of the base class. A kind of device that cannot share memory inherits these
  // functions.
  virtual heddle_status wrap(uint64_t, uint64_t, heddle_memory *&) { return cannotShare(); }
  virtual heddle_status stream(uint64_t &) { return cannotShare(); }
  virtual heddle_status wait(uint64_t) { return cannotShare(); }
  // Returns the error of a kind of device that cannot share memory with other code.
  heddle_status cannotShare() const {
    return fail(HEDDLE_UNSUPPORTED_DEVICE, "%s cannot share memory with other code; only CUDA devices can", name);
  }

  // reserve counts bytes against limits.memory before they are allocated, and fails if fewer bytes are left. unreserve
  // subtracts them again.
  heddle_status reserve(uint64_t size);
  void unreserve(uint64_t size) { allocated -= size; }
};

// Functions that open a device of a kind (devices.def) or count the devices of the kind. `which` is the part of a
// device's name after the colon, such as 1 in cuda:1, or NULL if the name has no colon. On failure they return NULL
// or 0, and lastError() returns the reason.
Driver *openNull(const char *which);
size_t countNull();
#define HEDDLE_DEVICE(name, Stem, language, extension)                                                                 \
  Driver *open##Stem(const char *which);                                                                               \
  size_t count##Stem();
#include "devices.def"

} // namespace heddle

inline heddle_status heddle_memory::share(uint64_t &) { return driver->cannotShare(); }

#endif // HEDDLE_DEVICES_DRIVER_H
