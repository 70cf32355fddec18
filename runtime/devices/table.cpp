//===- table.cpp - checks arguments, then calls drivers -------------------===//
//
// The functions of heddle_device, which <heddle/device.h> documents. All kinds of devices share them.
//
//===----------------------------------------------------------------------===//

#include "cache.h"
#include "checks.h"

#include <inttypes.h>
#include <new>
#include <stddef.h>

using namespace heddle;

// Generated code accesses the members at these offsets (in words of 8 bytes), so the offsets must not change.
#define HEDDLE_PLACE(member, word) static_assert(offsetof(heddle_device, member) == (word)*8)
HEDDLE_PLACE(self, 0);
HEDDLE_PLACE(size, 1);
HEDDLE_PLACE(format, 5);
HEDDLE_PLACE(features, 6);
HEDDLE_PLACE(limits, 7);
HEDDLE_PLACE(allocate, 8);
HEDDLE_PLACE(release, 9);
HEDDLE_PLACE(upload, 10);
HEDDLE_PLACE(download, 11);
HEDDLE_PLACE(load, 12);
HEDDLE_PLACE(unload, 13);
HEDDLE_PLACE(record, 14);
HEDDLE_PLACE(forget, 15);
HEDDLE_PLACE(replay, 16);
HEDDLE_PLACE(error, 17);
HEDDLE_PLACE(close, 18);
HEDDLE_PLACE(replay_with, 23);
HEDDLE_PLACE(wrap, 24);
HEDDLE_PLACE(address, 25);
HEDDLE_PLACE(stream, 26);
HEDDLE_PLACE(wait, 27);
#undef HEDDLE_PLACE
static_assert(sizeof(heddle_device) == 28 * 8 && sizeof(heddle_device_limits) == 14 * 8);
static_assert(sizeof(heddle_kernel) == 8 * 8 && sizeof(heddle_program) == 6 * 8 && sizeof(heddle_view) == 3 * 8 &&
              sizeof(heddle_launch) == 6 * 8 && sizeof(heddle_copy) == 6 * 8 && sizeof(heddle_binding) == 4 * 8);

static Driver &driverOf(void *self) { return *static_cast<Driver *>(self); }

static heddle_status checkMemorySize(const Driver &driver, uint64_t size) {
  if (size <= driver.limits.memory_size)
    return HEDDLE_OK;
  return fail(HEDDLE_UNSUPPORTED_DEVICE,
              "%" PRIu64 " bytes are requested, but %s supports at most %" PRIu64 " for one memory", size, driver.name,
              driver.limits.memory_size);
}

// Checks the arguments of a function that creates a memory, and sets *memory to NULL.
static heddle_status checkNewMemory(uint64_t size, heddle_memory **memory) {
  if (!memory || !size)
    return fail(HEDDLE_INVALID_ARGUMENT,
                "a memory must have at least one byte, and the pointer for it must not be NULL");
  *memory = nullptr;
  return HEDDLE_OK;
}

// Sets the members of a new memory that all kinds of devices have.
static void finish(Driver &driver, uint64_t size, heddle_memory &memory) {
  memory.driver = &driver;
  memory.size = size;
  memory.number = ++driver.numbers;
}

static heddle_status allocate(void *self, uint64_t size, heddle_memory **memory) {
  Driver &driver = driverOf(self);
  if (auto status = checkNewMemory(size, memory))
    return status;
  if (auto status = checkMemorySize(driver, size))
    return status;
  if (auto status = driver.reserve(size))
    return status;
  if (auto status = driver.allocate(size, *memory)) {
    driver.unreserve(size);
    return status;
  }
  finish(driver, size, **memory);
  return HEDDLE_OK;
}

static heddle_status wrap(void *self, uint64_t address, uint64_t size, heddle_memory **memory) {
  Driver &driver = driverOf(self);
  if (auto status = checkNewMemory(size, memory))
    return status;
  if (auto status = driver.wrap(address, size, *memory))
    return status;
  finish(driver, size, **memory);
  return HEDDLE_OK;
}

static void release(void *, heddle_memory *memory) {
  if (!memory)
    return;
  if (!memory->isWrapped)
    memory->driver->unreserve(memory->size);
  delete memory;
}

static heddle_status checkMemory(void *self, const heddle_memory *memory) {
  if (memory && memory->driver == &driverOf(self))
    return HEDDLE_OK;
  return fail(HEDDLE_INVALID_ARGUMENT, "the memory does not belong to this device");
}

static heddle_status address(void *self, heddle_memory *memory, uint64_t *address) {
  if (!address)
    return fail(HEDDLE_INVALID_ARGUMENT, "the pointer for the address is NULL");
  *address = 0;
  if (auto status = checkMemory(self, memory))
    return status;
  return memory->share(*address);
}

static heddle_status stream(void *self, uint64_t *stream) {
  if (!stream)
    return fail(HEDDLE_INVALID_ARGUMENT, "the pointer for the stream is NULL");
  *stream = 0;
  return driverOf(self).stream(*stream);
}

static heddle_status wait(void *self, uint64_t stream) { return driverOf(self).wait(stream); }

static heddle_status checkCopy(void *self, const heddle_memory *memory, uint64_t offset, const void *host,
                               uint64_t size) {
  if (auto status = checkMemory(self, memory))
    return status;
  if (!host && size)
    return fail(HEDDLE_INVALID_ARGUMENT, "the address on the host is NULL");
  if (!liesWithin(offset, size, memory->size))
    return fail(HEDDLE_INVALID_ARGUMENT,
                "%" PRIu64 " bytes from byte %" PRIu64 " on lie outside a memory of %" PRIu64 " bytes", size, offset,
                memory->size);
  return HEDDLE_OK;
}

static heddle_status upload(void *self, heddle_memory *memory, uint64_t offset, const void *host, uint64_t size) {
  if (auto status = checkCopy(self, memory, offset, host, size))
    return status;
  return size ? memory->upload(offset, host, size) : HEDDLE_OK;
}

static heddle_status download(void *self, heddle_memory *memory, uint64_t offset, void *host, uint64_t size) {
  if (auto status = checkCopy(self, memory, offset, host, size))
    return status;
  return size ? memory->download(offset, host, size) : HEDDLE_OK;
}

static heddle_status load(void *self, const heddle_program *program, heddle_code **code) {
  if (!code)
    return fail(HEDDLE_INVALID_ARGUMENT, "the pointer for the code is NULL");
  *code = nullptr;
  Driver &driver = driverOf(self);
  if (auto status = checkProgram(driver, program))
    return status;
  std::unique_ptr<uint64_t[]> buffers(new (std::nothrow) uint64_t[program->kernel_count]);
  if (!buffers)
    return failOutOfHostMemory();
  for (uint64_t i = 0; i < program->kernel_count; ++i)
    buffers[i] = program->kernels[i].buffers;
  if (auto status = driver.load(*program, *code))
    return status;
  (*code)->driver = &driver;
  (*code)->kernelCount = program->kernel_count;
  (*code)->buffers = std::move(buffers);
  return HEDDLE_OK;
}

static void unload(void *, heddle_code *code) { delete code; }

// Implements record and, if `timed` is set, record_timed.
template <bool timed>
static heddle_status record(void *self, heddle_code *code, heddle_memory *const *memories, uint64_t memoryCount,
                            const heddle_launch *launches, uint64_t launchCount, uint64_t staging,
                            heddle_launches **recorded) {
  if (!recorded)
    return fail(HEDDLE_INVALID_ARGUMENT, "the pointer for the launches is NULL");
  *recorded = nullptr;
  Driver &driver = driverOf(self);
  if (timed && !driver.hasTimers)
    return fail(HEDDLE_UNSUPPORTED_DEVICE, "%s has no timers", driver.name);
  if (auto status = checkLaunches(driver, code, memories, memoryCount, launches, launchCount))
    return status;
  if (auto status = checkMemorySize(driver, staging))
    return status;
  std::unique_ptr<heddle_memory *[]> kept(new (std::nothrow) heddle_memory *[memoryCount]);
  if (!kept)
    return failOutOfHostMemory();
  for (uint64_t i = 0; i < memoryCount; ++i)
    kept[i] = memories[i];
  std::unique_ptr<OpenMemories> open;
  if (hasOpen(memories, memoryCount)) {
    open.reset(new (std::nothrow) OpenMemories);
    if (!open)
      return failOutOfHostMemory();
    if (auto status = open->create(memories, memoryCount, launches, launchCount, code->buffers.get()))
      return status;
  }
  if (auto status = code->record(memories, memoryCount, launches, launchCount, staging, timed, *recorded))
    return status;
  (*recorded)->driver = &driver;
  (*recorded)->memoryCount = memoryCount;
  (*recorded)->launchCount = launchCount;
  (*recorded)->timed = timed;
  (*recorded)->staging = staging;
  (*recorded)->memories = std::move(kept);
  (*recorded)->open = std::move(open);
  return HEDDLE_OK;
}

static void forget(void *, heddle_launches *recorded) { delete recorded; }

// Binds the open memories. Calls the driver only if the bindings differ from those that it has recorded.
static heddle_status bind(heddle_launches &recorded, Bindings bindings) {
  OpenMemories *open = recorded.open.get();
  if (!open || (open->isBound && open->isSame(bindings)))
    return HEDDLE_OK;
  open->take(bindings);
  heddle_status status = recorded.bind();
  open->isBound = status == HEDDLE_OK;
  return status;
}

static heddle_status replayWith(void *self, heddle_launches *recorded, const heddle_binding *bindings,
                                uint64_t bindingCount, const heddle_copy *in, uint64_t inCount, const heddle_copy *out,
                                uint64_t outCount) {
  if (!recorded || recorded->driver != &driverOf(self))
    return fail(HEDDLE_INVALID_ARGUMENT, "the launches do not belong to this device");
  if (auto status = checkBindings(*recorded, {bindings, bindingCount}))
    return status;
  if (auto status = checkCopies(*recorded, {in, inCount}))
    return status;
  if (auto status = checkCopies(*recorded, {out, outCount}))
    return status;
  Lock lock(recorded->replaying);
  heddle_status status = bind(*recorded, {bindings, bindingCount});
  if (!status)
    status = recorded->replay({in, inCount}, {out, outCount});
  recorded->replayed = status == HEDDLE_OK;
  return status;
}

static heddle_status replay(void *self, heddle_launches *recorded, const heddle_copy *in, uint64_t inCount,
                            const heddle_copy *out, uint64_t outCount) {
  return replayWith(self, recorded, nullptr, 0, in, inCount, out, outCount);
}

static heddle_status times(void *self, heddle_launches *recorded, double *seconds, uint64_t launchCount) {
  if (!recorded || recorded->driver != &driverOf(self))
    return fail(HEDDLE_INVALID_ARGUMENT, "the launches do not belong to this device");
  if (!recorded->timed)
    return fail(HEDDLE_INVALID_ARGUMENT, "the launches were recorded without timers");
  if (launchCount != recorded->launchCount || (!seconds && launchCount))
    return fail(HEDDLE_INVALID_ARGUMENT, "there is room for the times of %" PRIu64 " launches, expected %" PRIu64,
                seconds ? launchCount : 0, recorded->launchCount);
  Lock lock(recorded->replaying);
  if (!recorded->replayed)
    return fail(HEDDLE_INVALID_ARGUMENT, "the launches were not replayed, or the last replay failed");
  return recorded->times(seconds);
}

static heddle_status saveCache(void *self, void *data, uint64_t *size) {
  return heddle::saveCache(driverOf(self), data, size);
}
static heddle_status restoreCache(void *self, const void *data, uint64_t size) {
  return heddle::restoreCache(driverOf(self), data, size);
}

static const char *error(void *) { return lastError(); }
static void close(void *self) { delete &driverOf(self); }

Driver::Driver()
    : table{this,
            sizeof table,
            name,
            description,
            version,
            "",
            0,
            &limits,
            ::allocate,
            release,
            upload,
            download,
            ::load,
            unload,
            record</*timed=*/false>,
            forget,
            replay,
            error,
            close,
            record</*timed=*/true>,
            times,
            ::saveCache,
            ::restoreCache,
            replayWith,
            ::wrap,
            address,
            ::stream,
            ::wait} {}

heddle_status Driver::reserve(uint64_t size) {
  uint64_t before = allocated.load();
  do {
    if (!liesWithin(before, size, limits.memory))
      return fail(HEDDLE_OUT_OF_DEVICE_MEMORY,
                  "%s has %" PRIu64 " bytes, %" PRIu64 " are in use, and %" PRIu64 " more are needed", name,
                  limits.memory, before, size);
  } while (!allocated.compare_exchange_weak(before, before + size));
  return HEDDLE_OK;
}
