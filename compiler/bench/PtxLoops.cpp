//===- PtxLoops.cpp - kernels in PTX that measure roofs -------------------===//

#include "DeviceLoops.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace heddle::bench;

namespace {
/// Writes the instructions of a kernel. A scalar is identified by the number N of its register %fN. A vector consists
/// of four registers; the number of its first register identifies the vector.
class PtxWriter {
public:
  /// Begins the kernel `name`. Each thread has `count` vectors of each of the two buffers.
  PtxWriter(raw_ostream &os, StringRef name, uint64_t count) : os(os) {
    os << ".visible .entry " << name << "(.param .u64 from, .param .u64 to)\n"
       << ".reqntid " << deviceLoopThreads << ", 1, 1\n{\n"
       << "  .reg .pred %p;\n  .reg .u32 %r<3>;\n  .reg .u64 %rd<5>;\n  .reg .f32 %f<64>;\n"
       << "  ld.param.u64 %rd1, [from];\n  cvta.to.global.u64 %rd1, %rd1;\n"
       << "  ld.param.u64 %rd2, [to];\n  cvta.to.global.u64 %rd2, %rd2;\n"
       << "  mov.u32 %r1, %ctaid.x;\n  mov.u32 %r2, %tid.x;\n"
       << "  mul.wide.u32 %rd3, %r1, " << deviceLoopThreads * count * 16 << ";\n"
       << "  mul.wide.u32 %rd4, %r2, 16;\n  add.u64 %rd3, %rd3, %rd4;\n"
       << "  add.u64 %rd1, %rd1, %rd3;\n  add.u64 %rd2, %rd2, %rd3;\n";
  }
  ~PtxWriter() { os << "  ret;\n}\n"; }

  /// Loads vector number `i` of this thread. Neighbouring threads load neighbouring vectors.
  unsigned load(unsigned i) {
    unsigned vector = next;
    next += 4;
    os << "  ld.global.v4.f32 " << registers(vector) << ", [%rd1+" << deviceLoopThreads * i * 16 << "];\n";
    return vector;
  }
  /// Stores a vector as vector number `i` of this thread. `condition` is a predicate such as "@%p ".
  void store(unsigned vector, unsigned i, StringRef condition = "") {
    os << "  " << condition << "st.global.v4.f32 [%rd2+" << deviceLoopThreads * i * 16 << "], " << registers(vector)
       << ";\n";
  }
  void add(unsigned sum, unsigned number) {
    os << "  add.rn.f32 %f" << sum << ", %f" << sum << ", %f" << number << ";\n";
  }
  void fma(unsigned sum, unsigned factor, unsigned term) {
    os << "  fma.rn.f32 %f" << sum << ", %f" << sum << ", %f" << factor << ", %f" << term << ";\n";
  }
  void copy(unsigned to, unsigned from) { os << "  mov.f32 %f" << to << ", %f" << from << ";\n"; }
  /// Returns an unused register.
  unsigned reserve() { return next++; }
  /// Keeps the compiler from removing the computation of `number`: writes the vector if `number` is deviceLoopSum at
  /// run time, which never happens.
  void use(unsigned number, unsigned vector) {
    os << "  setp.eq.f32 %p, %f" << number << ", 0f" << utohexstr(bit_cast<uint32_t>(deviceLoopSum)) << ";\n";
    store(vector, 0, "@%p ");
  }

private:
  static std::string registers(unsigned vector) {
    std::string text = "{";
    for (unsigned i = 0; i < 4; ++i)
      text += (i ? ", %f" : "%f") + std::to_string(vector + i);
    return text + "}";
  }

  raw_ostream &os;
  unsigned next = 0; // the number of the first unused register %fN
};
} // namespace

/// Writes the kernel `copy`. Each of its threads copies four vectors.
static void writePtxCopy(raw_ostream &os) {
  PtxWriter writer(os, "copy", 4);
  SmallVector<unsigned> vectors;
  for (unsigned i = 0; i < 4; ++i)
    vectors.push_back(writer.load(i));
  for (unsigned i = 0; i < 4; ++i)
    writer.store(vectors[i], i);
}

/// Writes the kernel `read`. Each of its threads reads four vectors and adds up their elements.
static void writePtxRead(raw_ostream &os) {
  PtxWriter writer(os, "read", 4);
  unsigned sum = writer.load(0), number = writer.reserve();
  for (unsigned i = 1; i < 4; ++i)
    for (unsigned lane = 0, vector = writer.load(i); lane < 4; ++lane)
      writer.add(sum + lane, vector + lane);
  writer.copy(number, sum);
  for (unsigned lane = 1; lane < 4; ++lane)
    writer.add(number, sum + lane);
  writer.use(number, sum);
}

/// Writes the kernel `fma`. Each of its threads has several chains of multiply-adds. For each chain, the thread reads
/// the initial value and computes chain = chain * factor + addend repeatedly.
static void writePtxFma(raw_ostream &os) {
  PtxWriter writer(os, "fma", 3);
  SmallVector<unsigned> chains;
  for (unsigned i = 0; i < deviceFmaChains / 4; ++i)
    for (unsigned lane = 0, vector = writer.load(i); lane < 4; ++lane)
      chains.push_back(vector + lane);
  unsigned factors = writer.load(deviceFmaChains / 4); // the first element is the factor, the second is the addend
  for (unsigned step = 0; step < deviceFmaSteps; ++step)
    for (unsigned chain : chains)
      writer.fma(chain, factors, factors + 1);
  for (unsigned chain : ArrayRef(chains).drop_front())
    writer.add(chains.front(), chain);
  writer.use(chains.front(), factors);
}

Expected<std::vector<char>> heddle::bench::makePtxLoops(mlir::MLIRContext &) {
  std::string text;
  raw_string_ostream os(text);
  os << ".version 7.0\n.target sm_80\n.address_size 64\n";
  writePtxCopy(os);
  writePtxRead(os);
  writePtxFma(os);
  return std::vector<char>(text.begin(), text.end());
}
