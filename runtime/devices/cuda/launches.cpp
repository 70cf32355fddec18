//===- launches.cpp - records launches and replays them -------------------===//
//
// Recorded launches are a CUDA graph. A replay enqueues its copies in, the graph, and its copies out on one stream.
// Copies from and to the host use staging memory; the others are copies within the device. An open memory is a null
// entry in the list of memories of a recording, to which each replay binds an allocation (bindings.h).
//
//===----------------------------------------------------------------------===//

#include "cuda.h"

#include <algorithm>
#include <new>
#include <string.h>

using namespace heddle;

namespace {

struct CudaLaunches : heddle_launches {
  CudaDriver &cuda;
  CudaStaging staged; // the host memory through which tensors of the host are copied
  CudaStream stream;
  const CudaCode &code;
  std::unique_ptr<CudaGraph> graph; // null if there are no launches, or before the first bind() of open memories

  CudaLaunches(CudaDriver &cuda, const CudaCode &code) : cuda(cuda), code(code) {}
  heddle_status build(const heddle_launch *launches, uint64_t count, bool isTimed);
  heddle_status bind() override;
  heddle_status replay(Copies in, Copies out) override;
  heddle_status times(double *seconds) override { return graph ? graph->times(seconds) : HEDDLE_OK; }

private:
  heddle_status placesOf(const heddle_launch &launch, std::unique_ptr<Place[]> &places) const;
  heddle_status enqueue(Copies in, Copies out);
  heddle_status copyIn(const heddle_copy &copy, char *place);
  heddle_status copyOut(const heddle_copy &copy, char *place);
  heddle_status copyWithin(CUdeviceptr to, CUdeviceptr from, uint64_t size);
};

// Calls visit(copy, place) for each copy that is not empty, until a call fails. `place` is the copy's position in the
// staging memory `staged`: copies from or to the host use consecutive ranges, and copies within the device use none.
template <typename Visit> heddle_status eachCopy(Copies list, char *staged, Visit visit) {
  for (uint64_t i = 0; i < list.count; ++i) {
    const heddle_copy &copy = list.copies[i];
    if (!copy.size)
      continue;
    if (auto status = visit(copy, staged))
      return status;
    if (!copy.other)
      staged += copy.size;
  }
  return HEDDLE_OK;
}

// Stores a new array with the memory range of each buffer of the launch in `places`.
heddle_status CudaLaunches::placesOf(const heddle_launch &launch, std::unique_ptr<Place[]> &places) const {
  uint64_t buffers = code.buffers[launch.kernel];
  places.reset(new (std::nothrow) Place[buffers]);
  if (!places)
    return failOutOfHostMemory();
  for (uint64_t i = 0; i < buffers; ++i)
    places[i] = placeOf(launch.views[i]);
  return HEDDLE_OK;
}

// Builds the graph. Open memories must be bound.
heddle_status CudaLaunches::build(const heddle_launch *launches, uint64_t count, bool isTimed) {
  if (!count)
    return HEDDLE_OK;
  std::unique_ptr<CudaGraph> made(new (std::nothrow) CudaGraph);
  if (!made)
    return failOutOfHostMemory();
  if (auto status = made->begin(cuda, count, isTimed))
    return status;
  std::unique_ptr<Place[]> places;
  for (uint64_t i = 0; i < count; ++i) {
    if (auto status = placesOf(launches[i], places))
      return status;
    uint64_t kernel = launches[i].kernel;
    if (auto status = made->add(code.kernels[kernel], launches[i], places.get(), code.buffers[kernel]))
      return status;
  }
  if (auto status = made->end())
    return status;
  graph = std::move(made);
  return HEDDLE_OK;
}

// Builds the graph when the open memories are bound for the first time. Later calls update the launches that use open
// memories.
heddle_status CudaLaunches::bind() {
  CudaScope scope(cuda);
  if (scope.status)
    return scope.status;
  if (!graph)
    return build(open->launches.get(), open->launchCount, timed);
  std::unique_ptr<Place[]> places;
  for (uint64_t i = 0; i < open->launchCount; ++i) {
    const heddle_launch &launch = open->launches[i];
    uint64_t buffers = code.buffers[launch.kernel];
    if (!std::any_of(launch.views, launch.views + buffers, [&](auto &view) { return !memories[view.memory]; }))
      continue;
    if (auto status = placesOf(launch, places))
      return status;
    if (auto status = graph->change(i, code.kernels[launch.kernel], launch, places.get(), buffers))
      return status;
  }
  return HEDDLE_OK;
}

heddle_status CudaLaunches::copyWithin(CUdeviceptr to, CUdeviceptr from, uint64_t size) {
  return cuda.f.check(cuda.f.cuMemcpyDtoDAsync(to, from, size, stream.stream), "cuMemcpyDtoDAsync");
}

// Enqueues a copy into the memory `copy.memory`. `place` is the copy's position in the staging memory (see eachCopy).
heddle_status CudaLaunches::copyIn(const heddle_copy &copy, char *place) {
  CUdeviceptr to = addressOf(memories[copy.memory]) + copy.offset;
  if (copy.other)
    return copyWithin(to, addressOf(copy.other) + copy.other_offset, copy.size);
  memcpy(place, copy.host, copy.size);
  return cuda.f.check(cuda.f.cuMemcpyHtoDAsync(to, place, copy.size, stream.stream), "cuMemcpyHtoDAsync");
}

// Enqueues a copy out of the memory `copy.memory`.
heddle_status CudaLaunches::copyOut(const heddle_copy &copy, char *place) {
  CUdeviceptr from = addressOf(memories[copy.memory]) + copy.offset;
  if (copy.other)
    return copyWithin(addressOf(copy.other) + copy.other_offset, from, copy.size);
  return cuda.f.check(cuda.f.cuMemcpyDtoHAsync(place, from, copy.size, stream.stream), "cuMemcpyDtoHAsync");
}

heddle_status CudaLaunches::enqueue(Copies in, Copies out) {
  if (auto status = eachCopy(in, staged.bytes, [&](auto &copy, char *place) { return copyIn(copy, place); }))
    return status;
  if (graph)
    if (auto status = cuda.f.check(cuda.f.cuGraphLaunch(graph->exec, stream.stream), "cuGraphLaunch"))
      return status;
  return eachCopy(out, staged.bytes, [&](auto &copy, char *place) { return copyOut(copy, place); });
}

heddle_status CudaLaunches::replay(Copies in, Copies out) {
  CudaScope scope(cuda);
  if (scope.status)
    return scope.status;
  if (auto status = enqueue(in, out)) {
    cuda.f.cuStreamSynchronize(stream.stream); // running work may still use the memories, so wait until it finishes
    return status;
  }
  if (auto status = stream.wait())
    return status;
  // The results for the host have arrived in the staging memory.
  return eachCopy(out, staged.bytes, [](auto &copy, char *place) {
    if (!copy.other)
      memcpy(copy.host, place, copy.size);
    return HEDDLE_OK;
  });
}

} // namespace

heddle_status CudaCode::record(heddle_memory *const *memories, uint64_t memoryCount, const heddle_launch *launches,
                               uint64_t launchCount, uint64_t staging, bool timed, heddle_launches *&recorded) {
  CudaScope scope(cuda);
  if (scope.status)
    return scope.status;
  std::unique_ptr<CudaLaunches> made(new (std::nothrow) CudaLaunches(cuda, *this));
  if (!made)
    return failOutOfHostMemory();
  if (staging)
    if (auto status = made->staged.create(cuda, staging))
      return status;
  if (auto status = made->stream.create(cuda))
    return status;
  if (!hasOpen(memories, memoryCount)) {
    made->memories.reset(new (std::nothrow) heddle_memory *[memoryCount]);
    if (!made->memories)
      return failOutOfHostMemory();
    std::copy_n(memories, memoryCount, made->memories.get());
    if (auto status = made->build(launches, launchCount, timed))
      return status;
  }
  recorded = made.release();
  return HEDDLE_OK;
}
