//===- null.cpp - a device without kernels --------------------------------===//
//
// The memory of this device is host memory, and copies are memmove. Programs and launches are checked but not executed.
// With this device, host programs can be tested on machines without a GPU. The file can also serve as a template for a
// new kind of device.
//
//===----------------------------------------------------------------------===//

#include "spirv.h"

#include <new>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

using namespace heddle;

namespace {

struct NullMemory : heddle_memory {
  std::unique_ptr<char[]> bytes;

  heddle_status upload(uint64_t offset, const void *host, uint64_t size) override {
    memmove(bytes.get() + offset, host, size);
    return HEDDLE_OK;
  }
  heddle_status download(uint64_t offset, void *host, uint64_t size) override {
    memmove(host, bytes.get() + offset, size);
    return HEDDLE_OK;
  }
};

struct NullLaunches : heddle_launches {
  heddle_status times(double *seconds) override {
    for (uint64_t i = 0; i < launchCount; ++i)
      seconds[i] = 0;
    return HEDDLE_OK;
  }

  heddle_status bind() override { return HEDDLE_OK; } // launches are not executed

  heddle_status replay(Copies in, Copies out) override {
    for (const heddle_copy *copy = in.copies; copy != in.copies + in.count; ++copy)
      if (copy->size)
        memories[copy->memory]->upload(copy->offset, addressOf(*copy), copy->size);
    for (const heddle_copy *copy = out.copies; copy != out.copies + out.count; ++copy)
      if (copy->size)
        memories[copy->memory]->download(copy->offset, addressOf(*copy), copy->size);
    return HEDDLE_OK;
  }

private:
  // The address of the other end of a copy, which is another memory of the device or host memory.
  static void *addressOf(const heddle_copy &copy) {
    return copy.other ? static_cast<NullMemory *>(copy.other)->bytes.get() + copy.other_offset : copy.host;
  }
};

struct NullCode : heddle_code {
  heddle_status record(heddle_memory *const *, uint64_t, const heddle_launch *, uint64_t, uint64_t, bool,
                       heddle_launches *&recorded) override {
    recorded = new (std::nothrow) NullLaunches;
    return recorded ? HEDDLE_OK : failOutOfHostMemory();
  }
};

class NullDriver : public Driver {
public:
  NullDriver() {
    table.format = "spirv";
    hasTimers = true; // the time of each launch is 0
    for (unsigned bit = 0; heddle_feature_name(bit); ++bit)
      table.features |= uint64_t(1) << bit;
    uint64_t memory = uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGESIZE));
    // No kind of device requires a larger alignment than 256. The limits after it are typical values.
    limits = {memory, memory, 256, uint64_t(1) << 30, 32, 32768, 1024, {1024, 1024, 64}, {65535, 65535, 65535}, 32};
    snprintf(name, sizeof name, "null");
    snprintf(description, sizeof description, "executes no kernels");
    snprintf(version, sizeof version, "null");
  }

  heddle_status allocate(uint64_t size, heddle_memory *&memory) override {
    std::unique_ptr<NullMemory> made(new (std::nothrow) NullMemory);
    if (!made || !(made->bytes.reset(new (std::nothrow) char[size]), made->bytes))
      return failOutOfHostMemory();
    memory = made.release();
    return HEDDLE_OK;
  }

  heddle_status load(const heddle_program &program, heddle_code *&code) override {
    if (auto status = checkSpirv(*this, program, /*version=*/0x10600))
      return status;
    code = new (std::nothrow) NullCode;
    return code ? HEDDLE_OK : failOutOfHostMemory();
  }

  // The device compiles nothing, so its cache is empty.
  heddle_status saveCache(std::unique_ptr<char[]> &, uint64_t &size) override { return size = 0, HEDDLE_OK; }
  heddle_status restoreCache(const char *, uint64_t size) override {
    return size ? fail(HEDDLE_INVALID_ARGUMENT, "the cache was not saved by the null device") : HEDDLE_OK;
  }
};

} // namespace

size_t heddle::countNull() { return 1; }

Driver *heddle::openNull(const char *which) {
  if (which && strcmp(which, "0") != 0) {
    fail(HEDDLE_INVALID_ARGUMENT, "there is no device null:%s; the only device of this kind is null", which);
    return nullptr;
  }
  NullDriver *driver = new (std::nothrow) NullDriver;
  if (!driver)
    failOutOfHostMemory();
  return driver;
}
