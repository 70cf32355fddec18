//===- SharedLibrary.cpp - writes shared libraries ------------------------===//

#include "compile/ElfImage.h"
#include "compile/Pieces.h"

#include "heddle/Link.h"
#include "heddle/OutputFile.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ExecutionEngine/JITLink/JITLink.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace heddle;
using namespace llvm::jitlink;

namespace {

/// An artificial address that JITLink gets for all imported symbols. The address is far from all code, so that JITLink
/// makes code reach the symbols through pointers, which the loader sets.
constexpr uint64_t elsewhere = uint64_t(1) << 62;

/// Places a graph in an ElfImage instead of in the memory of this process.
class ImageMemory : public JITLinkMemoryManager {
public:
  explicit ImageMemory(StringRef soname) : soname(soname) {}

  void allocate(const JITLinkDylib *, LinkGraph &graph, OnAllocatedFunction onAllocated) override {
    // JITLink writes addresses into blocks with edges, so copy these blocks. All other blocks stay in the memory of the
    // object file.
    for (auto *block : graph.blocks())
      if (!block->edges_empty())
        (void)block->getMutableContent(graph);
    image.emplace(graph, soname);
    if (llvm::Error error = image->place())
      return onAllocated(std::move(error));
    onAllocated(std::make_unique<Placed>());
  }

  void deallocate(std::vector<FinalizedAlloc> allocations, OnDeallocatedFunction onDeallocated) override {
    for (FinalizedAlloc &allocation : allocations)
      allocation.release();
    onDeallocated(llvm::Error::success());
  }

  std::optional<ElfImage> image; // set by allocate()

private:
  /// An allocation that owns nothing, since the graph stays in the memory of the object file.
  struct Placed : InFlightAlloc {
    void abandon(OnAbandonedFunction onAbandoned) override { onAbandoned(llvm::Error::success()); }
    void finalize(OnFinalizedFunction onFinalized) override { onFinalized(FinalizedAlloc(llvm::orc::ExecutorAddr())); }
  };

  std::string soname;
};

/// Links a graph and passes the image to `write`. On failure, `error` receives the reason.
class ImageContext : public JITLinkContext {
public:
  ImageContext(StringRef soname, llvm::function_ref<void(ElfImage &)> write, std::string &error)
      : JITLinkContext(nullptr), memory(soname), write(write), error(error) {}

  JITLinkMemoryManager &getMemoryManager() override { return memory; }
  void notifyFailed(llvm::Error failure) override { error = llvm::toString(std::move(failure)); }

  /// Resolves all symbols that the object does not define.
  void lookup(const LookupMap &symbols, std::unique_ptr<JITLinkAsyncLookupContinuation> found) override {
    AsyncLookupResult result;
    for (auto &[name, flags] : symbols)
      result[name] = {llvm::orc::ExecutorAddr(elsewhere), llvm::JITSymbolFlags::Exported};
    found->run(std::move(result));
  }

  llvm::Error notifyResolved(LinkGraph &) override { return llvm::Error::success(); }

  LinkGraphPassFunction getMarkLivePass(const llvm::Triple &) const override { return markLoadedLive; }

  llvm::Error modifyPassConfig(LinkGraph &, PassConfiguration &passes) override {
    // Write the image in this pass, because the graph no longer exists in notifyFinalized.
    passes.PostFixupPasses.push_back([this](LinkGraph &) {
      write(*memory.image);
      return llvm::Error::success();
    });
    return llvm::Error::success();
  }

  void notifyFinalized(JITLinkMemoryManager::FinalizedAlloc allocation) override { allocation.release(); }

private:
  /// Refuses sections with thread-local data or with functions that run when a library is loaded or unloaded. JITLink
  /// supports such sections at most for code in this process, so they would not work in a library.
  static llvm::Error checkSection(StringRef name) {
    for (StringRef refused : {".tdata", ".tbss", ".preinit_array", ".init_array", ".fini_array", ".ctors", ".dtors"})
      if (name == refused || name.starts_with((refused + ".").str()))
        return llvm::createStringError("section " + name +
                                       " is not supported: thread-local data, or functions that "
                                       "run when a library is loaded or unloaded");
    return llvm::Error::success();
  }

  /// Checks all sections, and removes those that are not loaded (such as sizes of stacks and the name of the compiler).
  static llvm::Error markLoadedLive(LinkGraph &graph) {
    for (Section &section : graph.sections())
      if (llvm::Error error = checkSection(section.getName()))
        return error;
    for (Symbol *symbol : graph.defined_symbols())
      symbol->setLive(symbol->getSection().getMemLifetime() != llvm::orc::MemLifetime::NoAlloc);
    return llvm::Error::success();
  }

  ImageMemory memory;
  llvm::function_ref<void(ElfImage &)> write;
  std::string &error;
};
} // namespace

LogicalResult heddle::writeSharedLibrary(MLIRContext &context, StringRef path, const llvm::MemoryBuffer &object) {
  auto fail = [&](const Twine &reason) {
    return emitError(FileLineColLoc::get(&context, path, 0, 0)) << "cannot make a shared library: " << reason;
  };
  auto names = std::make_shared<llvm::orc::SymbolStringPool>(); // JITLink uses the names after the graph is freed
  auto graph = createLinkGraphFromObject(object.getMemBufferRef(), names);
  if (!graph)
    return fail(llvm::toString(graph.takeError()));
  std::string error;
  LogicalResult written = failure();
  auto write = [&](ElfImage &image) {
    written = writeOutputFile(context, path, [&](llvm::raw_ostream &os) {
      image.write([&](ArrayRef<char> bytes) { writePieces(os, bytes, object); });
    });
  };
  link(std::move(*graph), std::make_unique<ImageContext>(llvm::sys::path::filename(path), write, error));
  return error.empty() ? written : fail(error);
}
