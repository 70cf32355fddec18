//===- cubins.cpp - compiles PTX once and stores the result ---------------===//

#include "cuda.h"

#include "../cache.h"

#include <new>
#include <stdio.h>
#include <string.h>

using namespace heddle;

namespace {
// The data that save() stores begins with a header that names the driver and the device. For each cubin, an entry
// follows that contains the hash and size of its PTX and the size of the cubin, and then the bytes of the cubin.
struct Header {
  char words[384];
};
struct Entry {
  uint64_t ptxHash, ptxSize, size;
};
} // namespace

// Returns the header for the driver's CUDA version and the device. Cubins of another CUDA version or of another device
// are refused, since the device might not be able to run them.
static Header headerOf(const CudaDriver &driver) {
  Header header = {};
  snprintf(header.words, sizeof header.words, "heddle cubins 1: %s, %s", driver.version, driver.description);
  return header;
}

// Compiles PTX with the driver's compiler. `state` owns the resulting cubin, and the caller must destroy `state` even
// on failure. If the compiler fails and has written a log, the log becomes the error text.
static heddle_status link(const CudaDriver &driver, char *ptx, uint64_t size, CUlinkState &state, void *&cubin,
                          size_t &cubinSize) {
  const CudaFunctions &f = driver.f;
  char log[400] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, reinterpret_cast<void *>(sizeof log - 1)};
  if (auto status = f.check(f.cuLinkCreate(2, options, values, &state), "cuLinkCreate"))
    return status;
  auto status =
      f.check(f.cuLinkAddData(state, CU_JIT_INPUT_PTX, ptx, size, "the program", 0, nullptr, nullptr), "cuLinkAddData");
  if (!status)
    status = f.check(f.cuLinkComplete(state, &cubin, &cubinSize), "cuLinkComplete");
  if (!status || !*log)
    return status;
  size_t length = strlen(log);
  while (length && (log[length - 1] == '\n' || log[length - 1] == ' '))
    --length;
  return fail(status, "CUDA's compiler: %.*s", int(length), log);
}

heddle_status CudaCubins::load(const CudaDriver &driver, const char *ptx, uint64_t size, CUmodule &module) {
  Lock lock(mutex);
  CacheSeal seal = sealOf(ptx, size);
  Cubin *cubin = find(seal.hash, seal.size);
  if (!cubin) {
    std::unique_ptr<char[]> text(new (std::nothrow) char[size + 1]); // the compiler needs a terminating 0
    if (!text)
      return failOutOfHostMemory();
    memcpy(text.get(), ptx, size);
    text[size] = 0;
    CUlinkState state = nullptr;
    void *bytes = nullptr; // owned by `state`
    size_t count = 0;
    auto status = link(driver, text.get(), size + 1, state, bytes, count);
    if (!status)
      status = add(seal.hash, seal.size, bytes, count, cubin);
    if (state)
      driver.f.cuLinkDestroy(state);
    if (status)
      return status;
  }
  return driver.f.check(driver.f.cuModuleLoadData(&module, cubin->bytes.get()), "cuModuleLoadData");
}

CudaCubins::Cubin *CudaCubins::find(uint64_t ptxHash, uint64_t ptxSize) {
  Cubin *cubin = first;
  while (cubin && (cubin->ptxHash != ptxHash || cubin->ptxSize != ptxSize))
    cubin = cubin->next;
  return cubin;
}

heddle_status CudaCubins::add(uint64_t ptxHash, uint64_t ptxSize, const void *bytes, uint64_t size, Cubin *&added) {
  std::unique_ptr<Cubin> made(
      new (std::nothrow) Cubin{ptxHash, ptxSize, size, std::unique_ptr<char[]>(new (std::nothrow) char[size]), first});
  if (!made || !made->bytes)
    return failOutOfHostMemory();
  memcpy(made->bytes.get(), bytes, size);
  added = first = made.release();
  return HEDDLE_OK;
}

CudaCubins::~CudaCubins() {
  while (Cubin *cubin = first) {
    first = cubin->next;
    delete cubin;
  }
}

heddle_status CudaCubins::save(const CudaDriver &driver, std::unique_ptr<char[]> &data, uint64_t &size) {
  Lock lock(mutex);
  size = sizeof(Header);
  for (Cubin *cubin = first; cubin; cubin = cubin->next)
    size += sizeof(Entry) + cubin->size;
  data.reset(new (std::nothrow) char[size]);
  if (!data)
    return failOutOfHostMemory();
  char *at = data.get();
  auto put = [&](const void *bytes, uint64_t count) {
    memcpy(at, bytes, count);
    at += count;
  };
  Header header = headerOf(driver);
  put(&header, sizeof header);
  for (Cubin *cubin = first; cubin; cubin = cubin->next) {
    Entry entry = {cubin->ptxHash, cubin->ptxSize, cubin->size};
    put(&entry, sizeof entry);
    put(cubin->bytes.get(), cubin->size);
  }
  return HEDDLE_OK;
}

heddle_status CudaCubins::restore(const CudaDriver &driver, const char *data, uint64_t size) {
  Header header = headerOf(driver);
  if (size < sizeof header || memcmp(data, &header, sizeof header) != 0)
    return fail(HEDDLE_INVALID_ARGUMENT,
                "the cache was not saved by %s with this driver, but by another device or driver version", driver.name);
  Lock lock(mutex);
  for (uint64_t at = sizeof header; at < size;) {
    Entry entry = {};
    if (size - at < sizeof entry)
      return fail(HEDDLE_INVALID_ARGUMENT, "the cache is damaged");
    memcpy(&entry, data + at, sizeof entry);
    at += sizeof entry;
    if (entry.size > size - at)
      return fail(HEDDLE_INVALID_ARGUMENT, "the cache is damaged");
    Cubin *added = nullptr;
    if (!find(entry.ptxHash, entry.ptxSize))
      if (auto status = add(entry.ptxHash, entry.ptxSize, data + at, entry.size, added))
        return status;
    at += entry.size;
  }
  return HEDDLE_OK;
}
