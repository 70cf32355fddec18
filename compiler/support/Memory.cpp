//===- Memory.cpp - how much memory is available --------------------------===//

#include "heddle/Memory.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace heddle;
using llvm::StringRef;
using llvm::Twine;
namespace path = llvm::sys::path;

/// Returns the text of a file in /proc or /sys, or "" if the file cannot be read.
static std::string readText(const Twine &file) {
  auto buffer = llvm::MemoryBuffer::getFileAsStream(file);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

static std::optional<uint64_t> readNumber(const Twine &file) {
  uint64_t number;
  std::string text = readText(file);
  if (StringRef(text).trim().getAsInteger(10, number)) // the text "max" means that there is no limit
    return std::nullopt;
  return number;
}

/// Returns the number after `key` at the beginning of a line.
static std::optional<uint64_t> findNumber(StringRef text, StringRef key) {
  for (StringRef line : llvm::split(text, '\n')) {
    uint64_t number;
    if (line.consume_front(key) && !line.ltrim().consumeInteger(10, number))
      return number;
  }
  return std::nullopt;
}

static uint64_t difference(uint64_t limit, uint64_t used) { return limit > used ? limit - used : 0; }

namespace {
/// Searches the limits that apply to this process for the one that leaves the fewest bytes.
struct Search {
  std::string root; // a folder that contains /proc and /sys; "" except in tests
  AvailableMemory minimum{UINT64_MAX, "free memory and swap space"};

  void take(uint64_t bytes, const Twine &limit) {
    if (bytes < minimum.bytes)
      minimum = {bytes, limit.str()};
  }

  /// Considers the free memory and swap space of the machine.
  void searchMachine() {
    std::string text = readText(root + "/proc/meminfo");
    if (std::optional<uint64_t> free = findNumber(text, "MemAvailable:"))
      take((*free + findNumber(text, "SwapFree:").value_or(0)) * 1024, "free memory and swap space");
  }

  /// Considers the resource limits of address space (ulimit -v) and of private memory (ulimit -d).
  void searchLimits() {
    std::string text = readText(root + "/proc/self/statm");
    llvm::SmallVector<StringRef> words;
    llvm::SplitString(text, words);
    constexpr unsigned size = 0, data = 5; // indices of words in statm: the address space and private memory, in pages
    for (auto [resource, word, name] :
         {std::make_tuple(RLIMIT_AS, size, "ulimit -v"), {RLIMIT_DATA, data, "ulimit -d"}}) {
      rlimit limit;
      uint64_t pages;
      if (words.size() > data && !words[word].getAsInteger(10, pages) && !getrlimit(resource, &limit) &&
          limit.rlim_cur != RLIM_INFINITY)
        take(difference(limit.rlim_cur, pages * uint64_t(sysconf(_SC_PAGESIZE))), Twine("left by ") + name);
    }
  }

  /// Considers a control group of Linux and its ancestors. `mount` is the folder of control groups, and `limitFile` and
  /// `usedFile` are the names of files in a group's folder. `cacheKey` precedes, in memory.stat, the number of bytes of
  /// inactive cached pages of files. In a container, `group` may be a path of the host, so folders that do not exist
  /// are skipped.
  void searchGroups(const Twine &mount, StringRef group, StringRef limitFile, StringRef usedFile, StringRef cacheKey) {
    for (; !group.empty(); group = path::parent_path(group)) {
      std::string folder = (root + mount + (group == "/" ? "" : group)).str();
      std::optional<uint64_t> limit = readNumber(folder + "/" + limitFile), used = readNumber(folder + "/" + usedFile);
      if (!limit || !used)
        continue;
      // The used memory includes cached pages of files. Subtract the inactive ones, because the kernel frees them when
      // memory is needed.
      uint64_t cache = findNumber(readText(folder + "/memory.stat"), cacheKey).value_or(0);
      take(difference(*limit, difference(*used, cache)), "left by control group " + group);
    }
  }

  void searchGroups() {
    std::string text = readText(root + "/proc/self/cgroup");
    for (StringRef line : llvm::split(text, '\n')) { // a line is ID:CONTROLLERS:PATH, or 0::PATH in cgroup v2
      auto [controllers, group] = line.split(':').second.split(':');
      if (line.starts_with("0::"))
        for (StringRef mount : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"})
          searchGroups(mount, group, "memory.max", "memory.current", "inactive_file ");
      else if (llvm::is_contained(llvm::split(controllers, ','), "memory"))
        searchGroups("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes", "memory.usage_in_bytes",
                     "total_inactive_file ");
    }
  }
};
} // namespace

AvailableMemory heddle::availableMemory(StringRef root) {
  Search search{root.str()};
  search.searchMachine();
  search.searchLimits();
  search.searchGroups();
  return search.minimum;
}

llvm::Error heddle::checkMemory(const Twine &what, uint64_t bytes) {
  AvailableMemory available = availableMemory();
  if (bytes <= available.bytes)
    return llvm::Error::success();
  auto mebibytes = [](uint64_t size) { return Twine(llvm::divideCeil(size, uint64_t(1) << 20)).str() + " MiB"; };
  return llvm::createStringError(what + " needs " + mebibytes(bytes) + " of memory, but only " +
                                 mebibytes(available.bytes) + " are available (" + available.limit + ")");
}

void heddle::dropPages(llvm::ArrayRef<char> mapping) {
  if (mapping.empty())
    return;
  // Call madvise directly, because MemoryBuffer::dontNeedIfMmap calls posix_madvise, and glibc's posix_madvise ignores
  // this advice.
  uint64_t page = llvm::sys::Process::getPageSizeEstimate();
  auto begin = llvm::alignDown(reinterpret_cast<uintptr_t>(mapping.begin()), page);
  madvise(reinterpret_cast<void *>(begin), reinterpret_cast<uintptr_t>(mapping.end()) - begin, MADV_DONTNEED);
}
