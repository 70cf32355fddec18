//===- launches.cpp - launches are recorded and replayed ------------------===//
//
// Recorded they are a graph. A replay is one stream's work: copies from staging,
// the graph, copies to staging.
//
//===----------------------------------------------------------------------===//

#include "cuda.h"

#include <new>
#include <string.h>

using namespace heddle;

namespace {

struct CudaLaunches : heddle_launches {
  CudaDriver &cuda;
  CudaStaging staged;
  CudaStream stream;
  CudaGraph graph;

  explicit CudaLaunches(CudaDriver &cuda) : cuda(cuda) {}
  heddle_status replay(Copies in, Copies out) override;
  heddle_status times(double *seconds) override { return graph.times(seconds); }

private:
  heddle_status enqueue(Copies in, Copies out);
  heddle_status copyIn(const heddle_copy &copy, char *place);
  heddle_status copyOut(const heddle_copy &copy, char *place);
  heddle_status copyWithin(CUdeviceptr to, CUdeviceptr from, uint64_t size);
};

// Of each copy: those with the host have their places in staging, one after another.
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

heddle_status CudaLaunches::copyWithin(CUdeviceptr to, CUdeviceptr from, uint64_t size) {
  return cuda.f.check(cuda.f.cuMemcpyDtoDAsync(to, from, size, stream.stream), "cuMemcpyDtoDAsync");
}

heddle_status CudaLaunches::copyIn(const heddle_copy &copy, char *place) {
  CUdeviceptr to = addressOf(memories[copy.memory]) + copy.offset;
  if (copy.other)
    return copyWithin(to, addressOf(copy.other) + copy.other_offset, copy.size);
  memcpy(place, copy.host, copy.size);
  return cuda.f.check(cuda.f.cuMemcpyHtoDAsync(to, place, copy.size, stream.stream), "cuMemcpyHtoDAsync");
}

heddle_status CudaLaunches::copyOut(const heddle_copy &copy, char *place) {
  CUdeviceptr from = addressOf(memories[copy.memory]) + copy.offset;
  if (copy.other)
    return copyWithin(addressOf(copy.other) + copy.other_offset, from, copy.size);
  return cuda.f.check(cuda.f.cuMemcpyDtoHAsync(place, from, copy.size, stream.stream), "cuMemcpyDtoHAsync");
}

heddle_status CudaLaunches::enqueue(Copies in, Copies out) {
  if (auto status = eachCopy(in, staged.bytes, [&](auto &copy, char *place) { return copyIn(copy, place); }))
    return status;
  if (graph.exec)
    if (auto status = cuda.f.check(cuda.f.cuGraphLaunch(graph.exec, stream.stream), "cuGraphLaunch"))
      return status;
  return eachCopy(out, staged.bytes, [&](auto &copy, char *place) { return copyOut(copy, place); });
}

heddle_status CudaLaunches::replay(Copies in, Copies out) {
  CudaScope scope(cuda);
  if (scope.status)
    return scope.status;
  if (auto status = enqueue(in, out)) {
    cuda.f.cuStreamSynchronize(stream.stream); // what runs may be neither freed nor written
    return status;
  }
  if (auto status = stream.wait())
    return status;
  return eachCopy(out, staged.bytes, [](auto &copy, char *place) {
    if (!copy.other)
      memcpy(copy.host, place, copy.size);
    return HEDDLE_OK;
  });
}

} // namespace

heddle_status CudaCode::record(heddle_memory *const *memories, uint64_t, const heddle_launch *launches,
                               uint64_t launchCount, uint64_t staging, bool timed, heddle_launches *&recorded) {
  CudaScope scope(cuda);
  if (scope.status)
    return scope.status;
  std::unique_ptr<CudaLaunches> made(new (std::nothrow) CudaLaunches(cuda));
  if (!made)
    return failOutOfHostMemory();
  if (staging)
    if (auto status = made->staged.create(cuda, staging))
      return status;
  if (auto status = made->stream.create(cuda))
    return status;
  if (launchCount) {
    if (auto status = made->graph.begin(cuda, launchCount, timed))
      return status;
    for (uint64_t i = 0; i < launchCount; ++i)
      if (auto status =
              made->graph.add(kernels[launches[i].kernel], launches[i], buffers[launches[i].kernel], memories))
        return status;
    if (auto status = made->graph.end())
      return status;
  }
  recorded = made.release();
  return HEDDLE_OK;
}
