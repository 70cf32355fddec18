// cuda.h - a CUDA device and its objects.
#ifndef HEDDLE_DEVICES_CUDA_CUDA_H
#define HEDDLE_DEVICES_CUDA_CUDA_H

#include "facts.h"

#include <sys/types.h>

namespace heddle {
class CudaDriver;

// Makes the device's context current in this thread. The destructor restores the previous context, which the host
// program may use.
class CudaScope {
public:
  explicit CudaScope(const CudaDriver &driver);
  CudaScope(const CudaScope &) = delete;
  ~CudaScope();

  const heddle_status status; // HEDDLE_OK if the context was made current

private:
  const CudaFunctions &f;
};

// A CUDA stream, a queue of operations that run in order.
struct CudaStream {
  CudaDriver *driver = nullptr;
  CUstream stream = nullptr;

  CudaStream() = default;
  CudaStream(const CudaStream &) = delete;
  ~CudaStream();
  heddle_status create(CudaDriver &driver);
  heddle_status wait(); // returns when all operations so far have ended
};

// Page-locked memory of the host, which the device reads and writes directly.
struct CudaStaging {
  CudaDriver *driver = nullptr;
  char *bytes = nullptr;

  CudaStaging() = default;
  CudaStaging(const CudaStaging &) = delete;
  ~CudaStaging();
  heddle_status create(CudaDriver &driver, uint64_t size);
};

// The cubins (machine code) to which PTX texts were compiled. They stay in memory, so equal texts are compiled
// once and the host program can save the cubins.
class CudaCubins {
public:
  // Loads the cubin of a PTX text as a module. Compiles the text if it was not compiled before.
  heddle_status load(const CudaDriver &driver, const char *ptx, uint64_t size, CUmodule &module);
  // Stores all cubins in `data`.
  heddle_status save(const CudaDriver &driver, std::unique_ptr<char[]> &data, uint64_t &size);
  // Adds the cubins of `data`, which an earlier call of `save` stored. Fails if the data is damaged, or comes from
  // another device or another CUDA version.
  heddle_status restore(const CudaDriver &driver, const char *data, uint64_t size);
  ~CudaCubins();

private:
  // An element of a linked list. A PTX text is identified by its hash and size.
  struct Cubin {
    uint64_t ptxHash, ptxSize, size; // sizes in bytes; `size` is that of the cubin
    std::unique_ptr<char[]> bytes;
    Cubin *next;
  };
  Cubin *find(uint64_t ptxHash, uint64_t ptxSize);
  heddle_status add(uint64_t ptxHash, uint64_t ptxSize, const void *bytes, uint64_t size, Cubin *&added);

  Mutex mutex; // protects the list; also held during compilation
  Cubin *first = nullptr;
};

// An opened CUDA device.
class CudaDriver : public Driver {
public:
  CudaFunctions f;
  CudaFacts facts;
  int number = 0; // the ordinal of the device, which is a part of its name
  CUdevice device = 0;
  CUcontext context = nullptr; // the device's primary context, which the whole process shares
  pid_t process = 0;           // the process that opened the device
  std::unique_ptr<CudaStream> transfers; // the stream of uploads and downloads
  CudaCubins cubins;

  ~CudaDriver() override;
  heddle_status open(const CudaLibrary &library, const char *which);
  heddle_status allocate(uint64_t size, heddle_memory *&memory) override;
  heddle_status load(const heddle_program &program, heddle_code *&code) override;
  heddle_status saveCache(std::unique_ptr<char[]> &data, uint64_t &size) override;
  heddle_status restoreCache(const char *data, uint64_t size) override;
  heddle_status wrap(uint64_t address, uint64_t size, heddle_memory *&memory) override;
  heddle_status stream(uint64_t &stream) override;
  heddle_status wait(uint64_t stream) override;
};

// An allocation on the device, or memory that other code has allocated (wrap).
struct CudaMemory : heddle_memory {
  CudaDriver &cuda;
  CUdeviceptr address = 0;
  bool isShared = false; // whether other code knows the address (share)

  explicit CudaMemory(CudaDriver &cuda) : cuda(cuda) {}
  ~CudaMemory() override;
  heddle_status create(uint64_t size);
  // Makes this object represent `size` bytes that other code has allocated.
  heddle_status wrap(CUdeviceptr address, uint64_t size);
  heddle_status share(uint64_t &address) override;
  heddle_status upload(uint64_t offset, const void *host, uint64_t size) override;
  heddle_status download(uint64_t offset, void *host, uint64_t size) override;
};
inline CUdeviceptr addressOf(heddle_memory *memory) { return static_cast<CudaMemory *>(memory)->address; }

struct CudaKernel {
  CUfunction function = nullptr;
  unsigned threads[3] = {};   // the number of threads of a workgroup in each dimension
  unsigned dynamicMemory = 0; // the size of workgroup memory, in bytes, without the arrays that the PTX declares
};

// A loaded program.
struct CudaCode : heddle_code {
  CudaDriver &cuda;
  uint64_t moduleCount = 0;
  std::unique_ptr<CUmodule[]> modules; // successive kernels with the same PTX share a module
  std::unique_ptr<CudaKernel[]> kernels;

  explicit CudaCode(CudaDriver &cuda) : cuda(cuda) {}
  ~CudaCode() override;
  heddle_status create(const heddle_program &program);
  heddle_status record(heddle_memory *const *memories, uint64_t memoryCount, const heddle_launch *launches,
                       uint64_t launchCount, uint64_t staging, bool timed, heddle_launches *&recorded) override;

private:
  heddle_status createKernel(const heddle_kernel &kernel, CUmodule module, CudaKernel &made);
};

// A graph of launches that run in order. If they are timed, there is an event before the first launch and an event
// after each launch.
struct CudaGraph {
  CudaDriver *driver = nullptr;
  CUgraph graph = nullptr;
  CUgraphNode last = nullptr; // the node on which the next node will depend
  CUgraphExec exec = nullptr;
  // The numbers of elements of `nodes` and `events` that have been created.
  uint64_t nodeCount = 0, eventCount = 0;
  std::unique_ptr<CUgraphNode[]> nodes; // the node of each launch
  std::unique_ptr<CUevent[]> events;

  CudaGraph() = default;
  CudaGraph(const CudaGraph &) = delete;
  ~CudaGraph();
  // Creates an empty graph for `launchCount` launches.
  heddle_status begin(CudaDriver &driver, uint64_t launchCount, bool timed);
  // Adds a launch. `places` contains the memory ranges of the launch's views; `buffers` is the number of the views.
  heddle_status add(const CudaKernel &kernel, const heddle_launch &launch, const Place *places, uint64_t buffers);
  heddle_status end(); // makes the graph executable after the last add
  // Changes the memory ranges of launch `number` for later replays.
  heddle_status change(uint64_t number, const CudaKernel &kernel, const heddle_launch &launch, const Place *places,
                       uint64_t buffers);
  // Stores the seconds of each launch in the last replay, if the launches are timed.
  heddle_status times(double *seconds) const;

private:
  heddle_status addEvent();
};

// Does the same as openCuda, but with `library` instead of the installed libcuda.so.1.
Driver *openCudaWith(const CudaLibrary &library, const char *which);

} // namespace heddle

#endif // HEDDLE_DEVICES_CUDA_CUDA_H
