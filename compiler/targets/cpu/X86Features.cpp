//===- X86Features.cpp - x86-64 features and CPUID ------------------------===//

#include "X86Features.h"

#include "llvm/ADT/STLExtras.h"

using namespace heddle;

static constexpr unsigned eax = 0, ebx = 1, ecx = 2, edx = 3; // the values of CpuidFeature::reg
static constexpr uint64_t ymm = 0x6, zmm = 0xe6;     // the bits of XCR0 for registers of 256 and of 512 bits
static constexpr uint64_t tiles = 0x60000;           // the bits of XCR0 for tile registers and their configuration
static constexpr uint32_t extended = 0x80000001;     // a CPUID leaf

// The CPUID bits are from Intel SDM volume 2A, CPUID, and from AMD APM volume 3, appendix E.
static constexpr CpuidFeature features[] = {
    {"sse3", 1, 0, ecx, 0, 0},
    {"pclmul", 1, 0, ecx, 1, 0},
    {"ssse3", 1, 0, ecx, 9, 0},
    {"fma", 1, 0, ecx, 12, ymm},
    {"sse4.1", 1, 0, ecx, 19, 0},
    {"sse4.2", 1, 0, ecx, 20, 0},
    {"movbe", 1, 0, ecx, 22, 0},
    {"popcnt", 1, 0, ecx, 23, 0},
    {"avx", 1, 0, ecx, 28, ymm},
    {"f16c", 1, 0, ecx, 29, ymm},
    {"bmi", 7, 0, ebx, 3, 0},
    {"avx2", 7, 0, ebx, 5, ymm},
    {"bmi2", 7, 0, ebx, 8, 0},
    {"avx512f", 7, 0, ebx, 16, zmm},
    {"avx512dq", 7, 0, ebx, 17, zmm},
    {"avx512ifma", 7, 0, ebx, 21, zmm},
    {"avx512cd", 7, 0, ebx, 28, zmm},
    {"avx512bw", 7, 0, ebx, 30, zmm},
    {"avx512vl", 7, 0, ebx, 31, zmm},
    {"avx512vbmi", 7, 0, ecx, 1, zmm},
    {"avx512vbmi2", 7, 0, ecx, 6, zmm},
    {"gfni", 7, 0, ecx, 8, 0},
    {"avx512vnni", 7, 0, ecx, 11, zmm},
    {"avx512bitalg", 7, 0, ecx, 12, zmm},
    {"avx512vpopcntdq", 7, 0, ecx, 14, zmm},
    {"avx512bf16", 7, 1, eax, 5, zmm},
    {"avxvnni", 7, 1, eax, 4, ymm},
    {"amx-bf16", 7, 0, edx, 22, tiles},
    {"amx-tile", 7, 0, edx, 24, tiles},
    {"amx-int8", 7, 0, edx, 25, tiles},
    {"lzcnt", extended, 0, ecx, 5, 0},
};

// Some virtual machines report the feature amx-tile although they do not have tile registers. So the code also checks
// the dimensions of tile registers, as far as generated code relies on them.
static constexpr CpuidFeature dimensions[] = {
    {"amx-tile", 0x1d, 1, eax, 13, tiles}, // 8192 bytes in all registers of palette 1
    {"amx-tile", 0x1d, 1, eax, 26, tiles}, // 1024 bytes in a register
    {"amx-tile", 0x1d, 1, ebx, 6, tiles},  // 64 bytes in a row
    {"amx-tile", 0x1d, 1, ebx, 19, tiles}, // 8 registers
    {"amx-tile", 0x1d, 1, ecx, 4, tiles},  // 16 rows
    {"amx-tile", 0x1e, 0, ebx, 4, tiles},  // the right tile of a product has up to 16 rows
    {"amx-tile", 0x1e, 0, ebx, 14, tiles}, // each of these rows has up to 64 bytes
};

llvm::ArrayRef<CpuidFeature> heddle::getX86Features() { return features; }

std::vector<CpuidMask> heddle::getCpuidMasks(llvm::ArrayRef<std::string> names, uint64_t &state) {
  std::vector<CpuidMask> masks;
  state = 0;
  for (const CpuidFeature &feature : llvm::concat<const CpuidFeature>(features, dimensions)) {
    if (!llvm::is_contained(names, feature.name))
      continue;
    state |= feature.state;
    auto it = llvm::find_if(masks, [&](const CpuidMask &mask) {
      return mask.leaf == feature.leaf && mask.subleaf == feature.subleaf && mask.reg == feature.reg;
    });
    if (it == masks.end())
      it = masks.insert(it, {feature.leaf, feature.subleaf, feature.reg, 0});
    it->mask |= uint32_t(1) << feature.bit;
  }
  // XCR0 can be read only if the bit OSXSAVE (leaf 1, ecx, bit 27) is set, so check this bit, too.
  if (state) {
    auto it = llvm::find_if(masks, [&](const CpuidMask &mask) { return mask.leaf == 1 && mask.reg == ecx; });
    if (it == masks.end())
      it = masks.insert(it, {1, 0, ecx, 0});
    it->mask |= uint32_t(1) << 27;
  }
  // Sort the masks by leaf and subleaf. The existence of subleaf 1 of leaves 7 and 0x1d need not be checked, since
  // CPUID returns zeros for this subleaf on a CPU that does not have it.
  llvm::sort(masks, [](const CpuidMask &a, const CpuidMask &b) {
    return std::tie(a.leaf, a.subleaf, a.reg) < std::tie(b.leaf, b.subleaf, b.reg);
  });
  return masks;
}
