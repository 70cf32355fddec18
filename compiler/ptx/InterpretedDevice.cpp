//===- InterpretedDevice.cpp - a device that interprets PTX ---------------===//

#include "heddle/InterpretedDevice.h"

#include "heddle/Devices.h"

#include "Launch.h"

#include "devices/driver.h"
#include "devices/ptx.h"
#include "heddle/Memory.h"

#include "llvm/ADT/STLExtras.h"

#include <chrono>
#include <new>
#include <unistd.h>

using namespace heddle;
using namespace heddle::ptx;

static heddle_status refuse(heddle_status status, llvm::Error error) {
  return fail(status, "%s", toString(std::move(error)).c_str());
}

namespace {

class InterpretedDriver;

struct InterpretedMemory : heddle_memory {
  InterpretedMemory(InterpretedDriver &owner, std::unique_ptr<Memory> made);
  ~InterpretedMemory() override;

  heddle_status upload(uint64_t offset, const void *host, uint64_t size) override;
  heddle_status download(uint64_t offset, void *host, uint64_t size) override;

  InterpretedDriver &owner;
  std::unique_ptr<Memory> memory;
};

struct LoadedModule {
  CodeBytes text; // owned by the heddle_program, which outlives this module
  std::unique_ptr<Module> module;
  std::unique_ptr<Memory> variables; // the module's variables, which its kernels share; null if there are none
};

struct LoadedKernel {
  Program program;
  Memory *variables;               // LoadedModule::variables
  std::array<unsigned, 3> threads; // the size of a workgroup
  uint64_t sharedBytes;            // the size of the dynamic shared memory
};

struct InterpretedCode : heddle_code {
  explicit InterpretedCode(InterpretedDriver &owner) : owner(owner) {}
  ~InterpretedCode() override;

  heddle_status create(const heddle_program &program);
  heddle_status record(heddle_memory *const *memories, uint64_t memoryCount, const heddle_launch *launches,
                       uint64_t launchCount, uint64_t staging, bool timed, heddle_launches *&recorded) override;

  InterpretedDriver &owner;
  std::vector<LoadedModule> modules;
  std::vector<LoadedKernel> kernels;

private:
  heddle_status loadModule(CodeBytes text);
  heddle_status createKernel(LoadedModule &from, const heddle_kernel &wanted);
  heddle_status createVariables(LoadedModule &module, const Program &program);
};

struct InterpretedLaunches : heddle_launches {
  struct Item {
    const LoadedKernel *kernel;
    std::array<unsigned, 3> groups;    // the number of workgroups
    std::vector<heddle_view> recorded; // one view for each parameter of the kernel
    std::vector<View> views;           // `recorded` after `bind` has replaced indices of allocations by memory
  };

  explicit InterpretedLaunches(InterpretedDriver &owner) : owner(owner) {}
  heddle_status bind() override;
  heddle_status replay(Copies in, Copies out) override;
  heddle_status times(double *results) override;

  InterpretedDriver &owner;
  std::vector<Item> items;
  std::vector<double> seconds;    // the time of each launch in the last replay
  std::vector<Counters> counters; // the counts of each launch in the last replay; zeros if the launches are not timed

private:
  heddle_status launch(const Item &item, Counters *counts);
};

class InterpretedDriver : public Driver {
public:
  explicit InterpretedDriver(const char *called) {
    table.format = "ptx";
    for (unsigned bit = 0; heddle_feature_name(bit); ++bit) // Like CUDA devices, this device has all features.
      table.features |= uint64_t(1) << bit;
    hasTimers = true;
    uint64_t memory = uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGESIZE));
    // These are the limits of CUDA devices; maxSharedBytes is that of compute capability 9.0.
    limits = {memory,          memory, 256,              memory,                     maxParameters,
              maxSharedBytes, 1024,   {1024, 1024, 64}, {2147483647, 65535, 65535}, 32};
    snprintf(name, sizeof name, "%s", called);
    snprintf(description, sizeof description, "interprets PTX and checks every access");
    snprintf(version, sizeof version, "heddle");
  }

  heddle_status allocate(uint64_t size, heddle_memory *&memory) override {
    // Shadow memory (Shadow.h) takes up to four times the size of the buffer, or more if kernels access parts of words.
    if (llvm::Error error = checkMemory("a buffer with its shadow memory", 5 * size))
      return refuse(HEDDLE_OUT_OF_DEVICE_MEMORY, std::move(error));
    std::unique_ptr<Memory> made = Memory::create(size);
    if (!made)
      return failOutOfHostMemory();
    memory = new InterpretedMemory(*this, std::move(made));
    return HEDDLE_OK;
  }
  heddle_status load(const heddle_program &program, heddle_code *&code) override {
    auto made = std::make_unique<InterpretedCode>(*this);
    if (auto status = made->create(program))
      return status;
    code = made.release();
    return HEDDLE_OK;
  }
  // The interpreter compiles nothing, so the cache of compiled code is always empty.
  heddle_status saveCache(std::unique_ptr<char[]> &, uint64_t &size) override { return size = 0, HEDDLE_OK; }
  heddle_status restoreCache(const char *, uint64_t size) override {
    return size ? fail(HEDDLE_INVALID_ARGUMENT, "the cache was not saved by %s", name) : HEDDLE_OK;
  }

  /// Ensures that only one launch or copy runs at a time, and guards the members below.
  Mutex mutex;
  Clock clock;
  std::vector<Memory *> memories; // all allocations, whose time stamps rewindClock replaces

  void rewindClock() {
    if (!clock.needsRestart())
      return;
    for (Memory *memory : memories)
      memory->resetToHost();
    clock.restart();
  }
};

} // namespace

InterpretedMemory::InterpretedMemory(InterpretedDriver &owner, std::unique_ptr<Memory> made)
    : owner(owner), memory(std::move(made)) {
  Lock lock(owner.mutex);
  owner.memories.push_back(memory.get());
}

InterpretedMemory::~InterpretedMemory() {
  Lock lock(owner.mutex);
  llvm::erase(owner.memories, memory.get());
}

heddle_status InterpretedMemory::upload(uint64_t offset, const void *host, uint64_t size) {
  Lock lock(owner.mutex);
  std::memmove(memory->at(offset), host, size);
  memory->noteHostWrite(offset, size);
  return HEDDLE_OK;
}

heddle_status InterpretedMemory::download(uint64_t offset, void *host, uint64_t size) {
  Lock lock(owner.mutex);
  std::memmove(host, memory->at(offset), size);
  return HEDDLE_OK;
}

heddle_status InterpretedCode::create(const heddle_program &program) {
  for (const heddle_kernel &wanted : llvm::ArrayRef(program.kernels, program.kernel_count)) {
    CodeBytes text = codeOf(program, wanted);
    if (modules.empty() || !(modules.back().text == text))
      if (auto status = loadModule(text))
        return status;
    if (auto status = createKernel(modules.back(), wanted))
      return status;
  }
  return HEDDLE_OK;
}

// For an error in a PTX text, returns the status that the CUDA driver returns if its compiler reports the error.
heddle_status InterpretedCode::loadModule(CodeBytes text) {
  PtxTarget target; // unused: the interpreter runs PTX for any target, and calls readPtxTarget only to check the text
  if (auto status = readPtxTarget(text.begin, text.size, target))
    return status;
  auto parsed = parse({text.begin, text.size});
  if (!parsed)
    return refuse(HEDDLE_DEVICE_ERROR, parsed.takeError());
  modules.push_back({text, std::move(*parsed), nullptr});
  return HEDDLE_OK;
}

/// Fails if the directives .reqntid and .maxntid of the kernel do not allow the program's workgroup size.
static heddle_status checkThreads(const Kernel &kernel, const heddle_kernel &wanted) {
  uint64_t maximum = 1, threads = 1;
  bool same = true;
  for (unsigned i = 0; i < 3; ++i) {
    maximum *= kernel.threads[i];
    threads *= wanted.threads[i];
    same &= kernel.threads[i] == wanted.threads[i];
  }
  if (kernel.exactThreads && !same)
    return fail(HEDDLE_INVALID_ARGUMENT, "%s: the PTX requires workgroups of %ux%ux%u threads, found %ux%ux%u",
                wanted.name, kernel.threads[0], kernel.threads[1], kernel.threads[2], unsigned(wanted.threads[0]),
                unsigned(wanted.threads[1]), unsigned(wanted.threads[2]));
  if (maximum && threads > maximum)
    return fail(HEDDLE_UNSUPPORTED_DEVICE, "%s: a workgroup has %zu threads, but the PTX allows at most %zu",
                wanted.name, size_t(threads), size_t(maximum));
  return HEDDLE_OK;
}

heddle_status InterpretedCode::createKernel(LoadedModule &from, const heddle_kernel &wanted) {
  const Kernel *kernel = from.module->find(wanted.name);
  if (!kernel)
    return fail(HEDDLE_INVALID_ARGUMENT, "the PTX has no kernel named %s", wanted.name);
  llvm::Expected<Program> decoded = decode(*from.module, *kernel);
  if (!decoded)
    return refuse(HEDDLE_DEVICE_ERROR, decoded.takeError());
  if (auto status = checkThreads(*kernel, wanted))
    return status;
  if (kernel->parameters.size() != wanted.buffers)
    return fail(HEDDLE_INVALID_ARGUMENT,
                "%s: the number of parameters in the PTX is %zu, but the number of buffers is %zu", wanted.name,
                kernel->parameters.size(), size_t(wanted.buffers));
  if (auto status = createVariables(from, *decoded))
    return status;
  LoadedKernel &loaded = kernels.emplace_back();
  loaded.program = std::move(*decoded);
  loaded.variables = from.variables.get();
  loaded.threads = {unsigned(wanted.threads[0]), unsigned(wanted.threads[1]), unsigned(wanted.threads[2])};
  uint64_t own = loaded.program.sharedBytes;
  loaded.sharedBytes = wanted.workgroup_memory > own ? wanted.workgroup_memory - own : 0;
  return HEDDLE_OK;
}

/// Creates the memory of the module's variables if it does not exist. Each variable has the same offset in all kernels.
heddle_status InterpretedCode::createVariables(LoadedModule &module, const Program &program) {
  if (module.variables || !program.constantBytes)
    return HEDDLE_OK;
  module.variables = makeConstants(program);
  if (!module.variables)
    return failOutOfHostMemory();
  Lock lock(owner.mutex);
  owner.memories.push_back(module.variables.get());
  return HEDDLE_OK;
}

InterpretedCode::~InterpretedCode() {
  Lock lock(owner.mutex);
  for (const LoadedModule &module : modules)
    llvm::erase(owner.memories, module.variables.get());
}

// A launch may read smaller numbers of workgroups from device memory (heddle_launch::counts). As on CUDA, all `groups`
// workgroups are launched, and the kernels compare their own indices with these numbers.
heddle_status InterpretedCode::record(heddle_memory *const *memories, uint64_t memoryCount,
                                      const heddle_launch *launches, uint64_t launchCount, uint64_t, bool,
                                      heddle_launches *&recorded) {
  auto made = std::make_unique<InterpretedLaunches>(owner);
  for (const heddle_launch &launch : llvm::ArrayRef(launches, launchCount)) {
    const LoadedKernel &kernel = kernels[launch.kernel];
    InterpretedLaunches::Item item = {
        &kernel, {unsigned(launch.groups[0]), unsigned(launch.groups[1]), unsigned(launch.groups[2])}, {}, {}};
    item.recorded.assign(launch.views, launch.views + buffers[launch.kernel]);
    made->items.push_back(std::move(item));
  }
  made->seconds.assign(launchCount, 0);
  made->counters.assign(launchCount, {});
  if (!hasOpen(memories, memoryCount)) {
    made->memories = std::make_unique<heddle_memory *[]>(memoryCount);
    std::copy_n(memories, memoryCount, made->memories.get());
    made->bind();
  }
  recorded = made.release();
  return HEDDLE_OK;
}

heddle_status InterpretedLaunches::bind() {
  for (Item &item : items) {
    item.views.clear();
    for (const heddle_view &view : item.recorded) {
      Place place = placeOf(view);
      // An allocation that was null when the launches were recorded contains a state, and each call binds its own
      // state.
      bool isOpen = !memories[view.memory];
      item.views.push_back(
          {static_cast<InterpretedMemory *>(place.memory)->memory.get(), place.offset, place.size, isOpen});
    }
  }
  return HEDDLE_OK;
}

heddle_status InterpretedLaunches::launch(const Item &item, Counters *counts) {
  const LoadedKernel &kernel = *item.kernel;
  owner.rewindClock();
  Launch launch{kernel.program,     kernel.threads,         item.groups, item.views,
                kernel.sharedBytes, kernel.variables,       counts};
  if (llvm::Error error = execute(launch, owner.clock))
    return refuse(HEDDLE_DEVICE_LOST, std::move(error));
  return HEDDLE_OK;
}

heddle_status InterpretedLaunches::replay(Copies in, Copies out) {
  Lock lock(owner.mutex);
  auto copyAll = [&](Copies copies, bool isIn) {
    for (const heddle_copy &copy : llvm::ArrayRef(copies.copies, copies.count)) {
      if (!copy.size)
        continue;
      auto *here = static_cast<InterpretedMemory *>(memories[copy.memory])->memory.get();
      Memory *other = copy.other ? static_cast<InterpretedMemory *>(copy.other)->memory.get() : nullptr;
      char *there = other ? other->at(copy.other_offset) : static_cast<char *>(copy.host);
      if (isIn) {
        std::memmove(here->at(copy.offset), there, copy.size);
        here->noteHostWrite(copy.offset, copy.size);
        continue;
      }
      std::memmove(there, here->at(copy.offset), copy.size);
      if (other)
        other->noteHostWrite(copy.other_offset, copy.size);
    }
  };
  copyAll(in, /*isIn=*/true);
  for (size_t i = 0; i < items.size(); ++i) {
    auto begin = std::chrono::steady_clock::now();
    counters[i] = {};
    if (auto status = launch(items[i], timed ? &counters[i] : nullptr))
      return status;
    seconds[i] = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  copyAll(out, /*isIn=*/false);
  return HEDDLE_OK;
}

heddle_status InterpretedLaunches::times(double *results) {
  std::copy(seconds.begin(), seconds.end(), results);
  return HEDDLE_OK;
}

heddle_device *heddle::openInterpretedDevice(const char *name) { return &(new InterpretedDriver(name))->table; }

std::vector<LaunchCounts> heddle::interpretedCounts(const heddle_device &device, const heddle_launches *recorded) {
  if (!isInterpreted(device.name) || !recorded || !recorded->timed)
    return {};
  const std::vector<Counters> &counters = static_cast<const InterpretedLaunches *>(recorded)->counters;
  return {counters.begin(), counters.end()};
}
