//===- memory_test.cpp - available memory of the process ------------------===//
//
// availableMemory returns how much memory the process can allocate, and what
// limits it: the free memory of the machine, a control group (a container), or
// ulimit. heddle refuses models that need more, instead of being killed.
//
//===----------------------------------------------------------------------===//

#include "TempDir.h"

#include "heddle/Memory.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

#include <sys/resource.h>

using namespace heddle;
using llvm::StringRef;

namespace {
constexpr uint64_t mebibyte = 1 << 20;

/// A fixture with a folder in which availableMemory finds proc/ and sys/ in place of /proc and /sys.
struct Memory : testing::Test {
  TempDir dir;

  void SetUp() override { write("proc/meminfo", "MemTotal: 9999999 kB\nMemAvailable: 2048 kB\nSwapFree: 1024 kB\n"); }

  void write(StringRef file, StringRef text) {
    ASSERT_FALSE(llvm::sys::fs::create_directories(llvm::sys::path::parent_path(dir.file(file))));
    dir.write(file, text);
  }
  /// Expects this number of available bytes, and this description of the limit.
  void expect(uint64_t bytes, StringRef limit) {
    AvailableMemory available = availableMemory(dir.file(""));
    EXPECT_EQ(available.bytes, bytes);
    EXPECT_EQ(available.limit, limit);
  }
};

TEST_F(Memory, IsThatOfTheMachine) {
  expect(3 * mebibyte, "free memory and swap space");
  EXPECT_GT(availableMemory().bytes, mebibyte);
  EXPECT_LT(availableMemory().bytes, uint64_t(1) << 50);
}

TEST_F(Memory, IsLimitedByControlGroups) {
  // The process is in the group /host/a/b. The limit is set for an enclosing group, here the root.
  write("proc/self/cgroup", "0::/host/a/b\n");
  write("sys/fs/cgroup/memory.max", "2097152\n");
  write("sys/fs/cgroup/memory.current", "1572864\n");
  expect(mebibyte / 2, "left by control group /");
  write("sys/fs/cgroup/memory.stat", "anon 7\ninactive_file 1048576\n"); // inactive files can be reclaimed
  expect(3 * mebibyte / 2, "left by control group /");
  write("sys/fs/cgroup/host/a/memory.max", "1048576\n");
  write("sys/fs/cgroup/host/a/memory.current", "1048577\n");
  expect(0, "left by control group /host/a");
  write("sys/fs/cgroup/host/a/memory.max", "max\n");
  expect(3 * mebibyte / 2, "left by control group /");
}

/// In version 1, the memory controller has its own hierarchy of groups and other names of files.
TEST_F(Memory, IsLimitedByControlGroupsOfVersion1) {
  write("proc/self/cgroup", "5:cpu,cpuacct:/a\n4:memory:/a\n");
  write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "2097152\n");
  write("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "1048576\n");
  write("sys/fs/cgroup/memory/a/memory.stat", "total_inactive_file 4096\n");
  expect(mebibyte + 4096, "left by control group /a");
}

/// The limit is 1 MiB more than the address space that proc/self/statm says is in use.
TEST_F(Memory, IsLimitedByTheAddressSpace) {
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  uint64_t page = 4096, pages = uint64_t(1) << 30;
  write("proc/self/statm", std::to_string(pages) + " 0 0 0 0 0 0");
  rlimit limit{pages * page + mebibyte, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &limit), 0);
  expect(mebibyte, "left by ulimit -v");
  setrlimit(RLIMIT_AS, &before);
}

TEST_F(Memory, IsCheckedBeforeItIsUsed) {
  EXPECT_FALSE(bool(checkMemory("nothing", 0)));
  std::string text = llvm::toString(checkMemory("this", UINT64_MAX));
  EXPECT_EQ(StringRef(text).rsplit(", but only ").first, "this needs 17592186044416 MiB of memory");
}
} // namespace
