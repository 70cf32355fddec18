//===- graph.cpp - a CUDA graph of kernel launches ------------------------===//

#include "cuda.h"

#include <new>

using namespace heddle;

heddle_status CudaGraph::begin(CudaDriver &owner, uint64_t launchCount, bool timed) {
  driver = &owner;
  if (auto status = driver->f.check(driver->f.cuGraphCreate(&graph, 0), "cuGraphCreate"))
    return status;
  nodes.reset(new (std::nothrow) CUgraphNode[launchCount]);
  if (!nodes)
    return failOutOfHostMemory();
  if (!timed)
    return HEDDLE_OK;
  events.reset(new (std::nothrow) CUevent[launchCount + 1]);
  return events ? addEvent() : failOutOfHostMemory();
}

heddle_status CudaGraph::addEvent() {
  const CudaFunctions &f = driver->f;
  if (auto status = f.check(f.cuEventCreate(&events[eventCount], 0), "cuEventCreate"))
    return status;
  CUevent event = events[eventCount++];
  return f.check(f.cuGraphAddEventRecordNode(&last, graph, &last, last ? 1 : 0, event), "cuGraphAddEventRecordNode");
}

namespace {
// The parameters of a node that launches a kernel, with the memory to which they point. If the numbers of workgroups
// are in device memory (heddle_launch::counts), CUDA cannot read them there. Therefore the maximum,
// heddle_launch::groups, is launched, and the kernel must return at once in workgroups beyond the numbers.
struct NodeParameters {
  std::unique_ptr<CUdeviceptr[]> addresses;
  std::unique_ptr<void *[]> arguments;
  CUDA_KERNEL_NODE_PARAMS node = {};

  heddle_status fill(const CudaKernel &kernel, const heddle_launch &launch, const Place *places, uint64_t buffers) {
    addresses.reset(new (std::nothrow) CUdeviceptr[buffers]);
    arguments.reset(new (std::nothrow) void *[buffers]);
    if (!addresses || !arguments)
      return failOutOfHostMemory();
    for (uint64_t i = 0; i < buffers; ++i) {
      addresses[i] = addressOf(places[i].memory) + places[i].offset;
      arguments[i] = &addresses[i];
    }
    node.func = kernel.function;
    node.gridDimX = unsigned(launch.groups[0]);
    node.gridDimY = unsigned(launch.groups[1]);
    node.gridDimZ = unsigned(launch.groups[2]);
    node.blockDimX = kernel.threads[0];
    node.blockDimY = kernel.threads[1];
    node.blockDimZ = kernel.threads[2];
    node.sharedMemBytes = kernel.dynamicMemory;
    node.kernelParams = arguments.get(); // CUDA copies the arguments when the node is created or changed
    return HEDDLE_OK;
  }
};
} // namespace

heddle_status CudaGraph::add(const CudaKernel &kernel, const heddle_launch &launch, const Place *places,
                             uint64_t buffers) {
  NodeParameters parameters;
  if (auto status = parameters.fill(kernel, launch, places, buffers))
    return status;
  const CudaFunctions &f = driver->f;
  if (auto status =
          f.check(f.cuGraphAddKernelNode(&last, graph, &last, last ? 1 : 0, &parameters.node), "cuGraphAddKernelNode"))
    return status;
  nodes[nodeCount++] = last;
  return events ? addEvent() : HEDDLE_OK;
}

heddle_status CudaGraph::change(uint64_t number, const CudaKernel &kernel, const heddle_launch &launch,
                                const Place *places, uint64_t buffers) {
  NodeParameters parameters;
  if (auto status = parameters.fill(kernel, launch, places, buffers))
    return status;
  return driver->f.check(driver->f.cuGraphExecKernelNodeSetParams(exec, nodes[number], &parameters.node),
                         "cuGraphExecKernelNodeSetParams");
}

heddle_status CudaGraph::end() {
  return driver->f.check(driver->f.cuGraphInstantiateWithFlags(&exec, graph, 0), "cuGraphInstantiateWithFlags");
}

heddle_status CudaGraph::times(double *seconds) const {
  if (!eventCount) // the launches are not timed
    return HEDDLE_OK;
  CudaScope scope(*driver);
  if (scope.status)
    return scope.status;
  for (uint64_t i = 0; i + 1 < eventCount; ++i) {
    float milliseconds = 0;
    if (auto status = driver->f.check(driver->f.cuEventElapsedTime(&milliseconds, events[i], events[i + 1]),
                                      "cuEventElapsedTime"))
      return status;
    seconds[i] = 1e-3 * double(milliseconds);
  }
  return HEDDLE_OK;
}

CudaGraph::~CudaGraph() {
  if (!graph)
    return;
  CudaScope scope(*driver);
  if (scope.status)
    return;
  if (exec)
    driver->f.cuGraphExecDestroy(exec);
  driver->f.cuGraphDestroy(graph);
  for (uint64_t i = 0; i < eventCount; ++i)
    driver->f.cuEventDestroy(events[i]);
}
