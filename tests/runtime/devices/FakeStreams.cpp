//===- FakeStreams.cpp - fake CUDA driver: streams, graphs ----------------===//
//
// Work is executed only when the caller waits for its stream, or copies from or
// to host memory that is not pinned, so tests detect callers that rely on
// earlier execution. Graph nodes without a dependency between them run in the
// reverse order of their creation, so tests detect missing dependencies.
//
//===----------------------------------------------------------------------===//

#include "FakeModules.h"

#include <chrono>
#include <cstring>
#include <functional>
#include <vector>

using namespace fake;
using namespace heddle;

using Work = std::function<CUresult()>; // a copy, a launch or a graph, to be executed later
using Clock = std::chrono::steady_clock;

namespace heddle {
struct CUstream_st {
  std::mutex mutex; // several threads may use a stream
  std::vector<Work> work;

  // Executes all work in order. After an error, the rest is dropped. Returns the first error.
  CUresult wait() {
    std::lock_guard<std::mutex> lock(mutex);
    CUresult result = CUDA_SUCCESS;
    for (const Work &next : work)
      if (result == CUDA_SUCCESS)
        result = next();
    work.clear();
    return result;
  }
  void add(Work next) {
    std::lock_guard<std::mutex> lock(mutex);
    work.push_back(std::move(next));
  }
};
struct CUevent_st {
  Clock::time_point time;    // when the event was recorded last
  CUstream stream = nullptr; // the stream in which the event was recorded last
};
struct Node {
  std::vector<size_t> before; // the indices of the nodes that must be executed first
  Work work;
};
struct CUgraph_st {
  std::vector<Node> nodes;
};
struct CUgraphExec_st {
  std::vector<Node> nodes;
};
} // namespace heddle

// Returns the work that copies between a device address and host memory.
static Work copyWork(CUdeviceptr device, const void *host, size_t size, bool toDevice) {
  return [=] {
    char *own = hostOf(device, size), *other = static_cast<char *>(const_cast<void *>(host));
    if (!own)
      return CUDA_ERROR_ILLEGAL_ADDRESS;
    memcpy(toDevice ? own : other, toDevice ? other : own, size);
    return CUDA_SUCCESS;
  };
}

// Adds a copy. If the host memory is not pinned, all earlier work and the copy are executed before the call returns.
static CUresult addCopy(CUstream stream, const void *host, size_t size, Work work) {
  stream->add(std::move(work));
  return isPinned(host, size) ? CUDA_SUCCESS : stream->wait();
}

// Runs all workgroups of a kernel now. `addresses` are its arguments, the device addresses of its buffers.
static CUresult launch(const CUfunc_st &function, const CUDA_KERNEL_NODE_PARAMS &node,
                       const std::vector<CUdeviceptr> &addresses);

// Creates the work of a launch. The arguments of the kernel are read now and not when the work is executed.
static CUresult readLaunch(const CUDA_KERNEL_NODE_PARAMS &given, Work &work) {
  const CUfunc_st *function = given.func;
  if (given.sharedMemBytes > function->maxDynamicMemory ||
      given.blockDimX * given.blockDimY * given.blockDimZ > unsigned(cuda().threads))
    return CUresult(1);
  std::vector<CUdeviceptr> addresses;
  for (size_t i = 0; i < function->parameters; ++i)
    addresses.push_back(*static_cast<CUdeviceptr *>(given.kernelParams[i]));
  work = [=] { return launch(*function, given, addresses); };
  return CUDA_SUCCESS;
}

// Adds a node that runs after the nodes `before`. A CUgraphNode is the index of the node plus 1.
static CUgraphNode addNode(CUgraph graph, const CUgraphNode *before, size_t count, Work work) {
  Node node = {{}, std::move(work)};
  for (size_t i = 0; i < count; ++i)
    node.before.push_back(reinterpret_cast<size_t>(before[i]) - 1);
  graph->nodes.push_back(std::move(node));
  return reinterpret_cast<CUgraphNode>(graph->nodes.size());
}

static CUresult launch(const CUfunc_st &function, const CUDA_KERNEL_NODE_PARAMS &node,
                       const std::vector<CUdeviceptr> &addresses) {
  if (!function.kernel)
    return cuda().interpreter(function, node, addresses);
  std::vector<char *> buffers;
  for (CUdeviceptr address : addresses)
    if (char *bytes = hostOf(address, 1))
      buffers.push_back(bytes);
    else
      return CUDA_ERROR_ILLEGAL_ADDRESS;
  Group group = {{},
                 {node.gridDimX, node.gridDimY, node.gridDimZ},
                 {node.blockDimX, node.blockDimY, node.blockDimZ},
                 buffers.data(),
                 node.sharedMemBytes};
  uint32_t *id = group.id;
  for (id[2] = 0; id[2] < group.count[2]; ++id[2])
    for (id[1] = 0; id[1] < group.count[1]; ++id[1])
      for (id[0] = 0; id[0] < group.count[0]; ++id[0])
        function.kernel(group);
  return CUDA_SUCCESS;
}

namespace heddle {
extern "C" {

CUresult cuStreamCreate(CUstream *stream, unsigned) {
  ENTER(Context);
  *stream = new CUstream_st;
  std::lock_guard<std::recursive_mutex> lock(streams().mutex);
  streams().all.insert(*stream);
  ++cuda().alive;
  return CUDA_SUCCESS;
}
CUresult cuStreamDestroy_v2(CUstream stream) {
  leave(__func__);
  if (!stream->work.empty())
    mistake("cuStreamDestroy: its work is not done");
  std::lock_guard<std::recursive_mutex> lock(streams().mutex);
  streams().all.erase(stream);
  delete stream;
  --cuda().alive;
  return CUDA_SUCCESS;
}
CUresult cuStreamSynchronize(CUstream stream) {
  CUresult result = stream->wait(); // also if this call fails, since the caller then destroys the stream
  ENTER(Context);
  return result;
}

CUresult cuCtxSynchronize() {
  ENTER(Context);
  std::lock_guard<std::recursive_mutex> lock(streams().mutex);
  for (CUstream stream : streams().all)
    if (CUresult result = stream->wait())
      return result;
  return CUDA_SUCCESS;
}
// The work of the waiting stream first executes all work of the stream in which the event was recorded.
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  ENTER(Context);
  CUstream other = event->stream;
  stream->add([=] {
    std::unique_lock<std::recursive_mutex> lock(streams().mutex);
    if (!streams().all.count(other))
      return mistake("cuStreamWaitEvent: the stream of the event was destroyed before the wait"), CUresult(1);
    lock.unlock();
    return other->wait();
  });
  return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t size, CUstream stream) {
  ENTER(Context);
  return addCopy(stream, from, size, copyWork(to, from, size, true));
}
CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t size, CUstream stream) {
  ENTER(Context);
  return addCopy(stream, to, size, copyWork(from, to, size, false));
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream) {
  ENTER(Context);
  stream->add([=] {
    char *source = hostOf(from, size);
    return source ? copyWork(to, source, size, true)() : CUDA_ERROR_ILLEGAL_ADDRESS;
  });
  return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent *event, unsigned) {
  ENTER(Context);
  *event = new CUevent_st;
  ++cuda().alive;
  return CUDA_SUCCESS;
}
CUresult cuEventDestroy_v2(CUevent event) { return fake::destroy(__func__, event); }
CUresult cuEventRecord(CUevent event, CUstream stream) {
  ENTER(Context);
  event->stream = stream;
  return CUDA_SUCCESS;
}
CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  ENTER(Context);
  *milliseconds = std::chrono::duration<float, std::milli>(end->time - start->time).count();
  return CUDA_SUCCESS;
}

CUresult cuGraphCreate(CUgraph *graph, unsigned) {
  ENTER(Context);
  *graph = new CUgraph_st;
  ++cuda().alive;
  return CUDA_SUCCESS;
}
CUresult cuGraphDestroy(CUgraph graph) { return fake::destroy(__func__, graph); }
CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *before, size_t count,
                              const CUDA_KERNEL_NODE_PARAMS *given) {
  ENTER(Context);
  Work work;
  if (CUresult wrong = readLaunch(*given, work))
    return wrong;
  *node = addNode(graph, before, count, std::move(work));
  return CUDA_SUCCESS;
}
CUresult cuGraphAddEventRecordNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *before, size_t count,
                                   CUevent event) {
  ENTER(Context);
  *node = addNode(graph, before, count, [=] { return event->time = Clock::now(), CUDA_SUCCESS; });
  return CUDA_SUCCESS;
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long) {
  ENTER(Context);
  *exec = new CUgraphExec_st{graph->nodes};
  ++cuda().alive;
  return CUDA_SUCCESS;
}
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *given) {
  ENTER(Context);
  size_t number = reinterpret_cast<size_t>(node) - 1;
  if (number >= exec->nodes.size())
    return CUresult(1);
  return readLaunch(*given, exec->nodes[number].work);
}
CUresult cuGraphExecDestroy(CUgraphExec exec) { return fake::destroy(__func__, exec); }
CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  ENTER(Context);
  stream->add([=] {
    std::vector<bool> done(exec->nodes.size());
    auto isReady = [&](size_t i) {
      for (size_t before : exec->nodes[i].before)
        if (!done[before])
          return false;
      return !done[i];
    };
    for (size_t left = done.size(); left; --left)
      for (size_t i = done.size(); i-- > 0;)
        if (isReady(i)) {
          if (CUresult result = exec->nodes[i].work())
            return result;
          done[i] = true;
          break;
        }
    return CUDA_SUCCESS;
  });
  return CUDA_SUCCESS;
}

} // extern "C"
} // namespace heddle
