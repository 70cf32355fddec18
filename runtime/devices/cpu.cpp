//===- cpu.cpp - facts of this CPU ----------------------------------------===//

#include "heddle/device.h"
#include "heddle/executor.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#if defined __x86_64__
#include <cpuid.h>
#include <sys/syscall.h>
#else
#include <sys/auxv.h>
#endif

// Appends a word, after a space if the text is not empty.
static void append(char (&text)[256], const char *word) {
  size_t used = strlen(text);
  snprintf(text + used, sizeof text - used, "%s%s", used ? " " : "", word);
}

#if defined __x86_64__

// Reads the brand string from CPUID leaves 0x80000002 to 0x80000004 and removes its padding.
static void readBrand(char (&text)[128]) {
  unsigned words[12] = {};
  if (__get_cpuid_max(0x80000000u, nullptr) < 0x80000004u) {
    snprintf(text, sizeof text, "x86-64");
    return;
  }
  for (unsigned i = 0; i < 3; ++i)
    __get_cpuid(0x80000002u + i, &words[4 * i], &words[4 * i + 1], &words[4 * i + 2], &words[4 * i + 3]);
  char brand[sizeof words + 1] = {};
  memcpy(brand, words, sizeof words);
  const char *start = brand + strspn(brand, " ");
  size_t length = strlen(start);
  while (length && start[length - 1] == ' ')
    --length;
  snprintf(text, sizeof text, "%.*s", int(length), start);
}

// Returns whether this process may use the tile registers of Intel AMX, and asks Linux for permission. Some virtual
// machines report AMX but no tile registers, which CPUID leaf 0x1d describes. Linux refuses the permission if, for
// example, the stack of a signal handler has no space for the registers.
static bool mayUseTiles() {
  constexpr long requestPermission = 0x1023, tileData = 18; // ARCH_REQ_XCOMP_PERM, and the registers' state
  unsigned bytes = 0, unused;
  return __builtin_cpu_supports("amx-tile") && __get_cpuid_count(0x1d, 1, &bytes, &unused, &unused, &unused) && bytes &&
         syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
}

static void readFeatures(char (&text)[256]) {
  text[0] = 0;
  __builtin_cpu_init();
#define HEDDLE_FEATURE(name)                                                                                           \
  if (__builtin_cpu_supports(name))                                                                                    \
    append(text, name);
  HEDDLE_FEATURE("avx2")
  HEDDLE_FEATURE("fma")
  HEDDLE_FEATURE("avx512f")
  HEDDLE_FEATURE("avx512bw")
  HEDDLE_FEATURE("avx512dq")
  HEDDLE_FEATURE("avx512vl")
  HEDDLE_FEATURE("avx512bf16")
  HEDDLE_FEATURE("avx512vnni")
  if (mayUseTiles()) {
    HEDDLE_FEATURE("amx-tile")
    HEDDLE_FEATURE("amx-bf16")
    HEDDLE_FEATURE("amx-int8")
  }
#undef HEDDLE_FEATURE
}

#else // 64-bit Arm, where a program cannot read the manufacturer's name for the CPU

static void readBrand(char (&text)[128]) { snprintf(text, sizeof text, "64-bit Arm"); }

static void readFeatures(char (&text)[256]) {
  // The bit numbers of Linux (HWCAP_* and HWCAP2_* of <asm/hwcap.h>).
  static const struct {
    unsigned long which;
    unsigned bit;
    const char *name;
  } features[] = {{AT_HWCAP, 1, "neon"}, {AT_HWCAP, 10, "fullfp16"}, {AT_HWCAP, 20, "dotprod"},
                  {AT_HWCAP, 22, "sve"}, {AT_HWCAP2, 13, "i8mm"},    {AT_HWCAP2, 14, "bf16"}};
  text[0] = 0;
  for (const auto &feature : features)
    if (getauxval(feature.which) >> feature.bit & 1)
      append(text, feature.name);
}

#endif

// Returns the size in bytes of the cache with this name for sysconf; 0 if the size is not known.
static uint64_t cacheSize(int name) {
  long size = sysconf(name);
  return size > 0 ? uint64_t(size) : 0;
}

extern "C" void heddle_cpu_info(heddle_device_info *info) {
  memset(info, 0, sizeof *info);
  snprintf(info->name, sizeof info->name, "cpu");
  readBrand(info->description);
  readFeatures(info->features);
  info->cores = heddle_physical_cores();
  info->l1_data = cacheSize(_SC_LEVEL1_DCACHE_SIZE);
  info->l2 = cacheSize(_SC_LEVEL2_CACHE_SIZE);
  info->l3 = cacheSize(_SC_LEVEL3_CACHE_SIZE);
}
