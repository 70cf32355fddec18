//===- SpirvLoops.cpp - kernels in SPIR-V that measure roofs --------------===//
//
// The kernels are written as text of MLIR's SPIR-V dialect. The kernels `read`
// and `fma` add up the values that they read or compute. They write to memory
// only if the sum equals deviceLoopSum, which never happens. Since a driver
// does not know this, it cannot remove the computation.
//
//===----------------------------------------------------------------------===//

#include "DeviceLoops.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/SPIRV/Serialization.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace heddle::bench;

namespace {
/// Writes the operations of a kernel. Values are identified by their names.
class KernelWriter {
public:
  explicit KernelWriter(llvm::raw_ostream &os) : os(os) {}

  /// Begins a kernel. Loads the number of the thread in its workgroup and the number of the workgroup.
  void begin(StringRef name) {
    os << "  spirv.func @" << name << "() \"None\" {\n";
    for (StringRef buffer : {"from", "to"})
      os << "    %" << buffer << " = spirv.mlir.addressof @" << buffer << " : " << structure << "\n";
    for (StringRef id : {"thread", "group"}) {
      os << "    %" << id << "_at = spirv.mlir.addressof @" << id << " : !spirv.ptr<vector<3xi32>, Input>\n"
         << "    %" << id << "_all = spirv.Load \"Input\" %" << id << "_at : vector<3xi32>\n"
         << "    %" << id << " = spirv.CompositeExtract %" << id << "_all[0 : i32] : vector<3xi32>\n";
    }
    os << "    %zero = spirv.Constant 0 : i32\n";
  }
  void end(StringRef name) {
    os << "    spirv.Return\n  }\n  spirv.EntryPoint \"GLCompute\" @" << name << ", @thread, @group\n"
       << "  spirv.ExecutionMode @" << name << " \"LocalSize\", " << heddle::bench::deviceLoopThreads << ", 1, 1\n";
  }
  /// Writes an operation and returns the name of its result.
  std::string value(const Twine &operation) {
    std::string name = "%v" + std::to_string(next++);
    os << "    " << name << " = " << operation << "\n";
    return name;
  }
  std::string constant(unsigned number) { return value("spirv.Constant " + Twine(number) + " : i32"); }
  /// Returns the address of vector `i` of the `count` vectors of this thread. For each `i`, neighbouring threads use
  /// neighbouring vectors.
  std::string place(StringRef buffer, unsigned i, unsigned count) {
    std::string first = value("spirv.IMul %group, " + constant(heddle::bench::deviceLoopThreads * count) + " : i32");
    std::string own = value("spirv.IAdd " + first + ", " + constant(heddle::bench::deviceLoopThreads * i) + " : i32");
    std::string at = value("spirv.IAdd " + own + ", %thread : i32");
    return value("spirv.AccessChain %" + buffer + "[%zero, " + at + "] : " + structure +
                 ", i32, i32 -> !spirv.ptr<vector<4xf32>, StorageBuffer>");
  }
  /// Loads vector `i` of the `count` vectors of this thread in the first buffer.
  std::string load(unsigned i, unsigned count) {
    return value("spirv.Load \"StorageBuffer\" " + place("from", i, count) + " : vector<4xf32>");
  }
  void store(const std::string &vector, const std::string &place) {
    os << "    spirv.Store \"StorageBuffer\" " << place << ", " << vector << " : vector<4xf32>\n";
  }
  std::string element(const std::string &vector, unsigned i) {
    return value("spirv.CompositeExtract " + vector + "[" + Twine(i) + " : i32] : vector<4xf32>");
  }
  /// Keeps the driver from removing the computation of `number`: writes the vector if `number` is deviceLoopSum at run
  /// time.
  void use(const std::string &number, const std::string &vector, unsigned count) {
    std::string place = this->place("to", 0, count);
    // The constant is 2^100, the value of deviceLoopSum.
    std::string never = value("spirv.Constant 1267650600228229401496703205376.0 : f32");
    std::string condition = value("spirv.FOrdEqual " + number + ", " + never + " : f32");
    os << "    spirv.mlir.selection {\n      spirv.BranchConditional " << condition << ", ^then, ^merge\n    ^then:\n";
    store(vector, place);
    os << "      spirv.Branch ^merge\n    ^merge:\n      spirv.mlir.merge\n    }\n";
  }

  static constexpr char structure[] =
      "!spirv.ptr<!spirv.struct<(!spirv.rtarray<vector<4xf32>, stride=16> [0])>, StorageBuffer>";

private:
  llvm::raw_ostream &os;
  unsigned next = 0;
};
} // namespace

/// Writes the kernel `copy`. Each of its threads copies four vectors.
static void writeSpirvCopy(llvm::raw_ostream &os) {
  KernelWriter writer(os);
  writer.begin("copy");
  SmallVector<std::string> vectors;
  for (unsigned i = 0; i < 4; ++i)
    vectors.push_back(writer.load(i, 4));
  for (unsigned i = 0; i < 4; ++i)
    writer.store(vectors[i], writer.place("to", i, 4));
  writer.end("copy");
}

/// Writes the kernel `read`. Each of its threads reads four vectors and adds up their elements.
static void writeSpirvRead(llvm::raw_ostream &os) {
  KernelWriter writer(os);
  writer.begin("read");
  std::string sum = writer.load(0, 4);
  for (unsigned i = 1; i < 4; ++i)
    sum = writer.value("spirv.FAdd " + sum + ", " + writer.load(i, 4) + " : vector<4xf32>");
  std::string number = writer.element(sum, 0);
  for (unsigned i = 1; i < 4; ++i)
    number = writer.value("spirv.FAdd " + number + ", " + writer.element(sum, i) + " : f32");
  writer.use(number, sum, 4);
  writer.end("read");
}

/// Writes the kernel `fma`. Each of its threads has several chains of multiply-adds. For each chain, the thread reads
/// the initial value and computes chain = chain * factor + addend repeatedly.
static void writeSpirvFma(llvm::raw_ostream &os) {
  KernelWriter writer(os);
  writer.begin("fma");
  SmallVector<std::string> chains;
  for (unsigned i = 0; i < deviceFmaChains / 4; ++i)
    for (std::string vector = writer.load(i, 3); chains.size() < 4 * (i + 1);)
      chains.push_back(writer.element(vector, chains.size() % 4));
  std::string factors = writer.load(deviceFmaChains / 4, 3);
  std::string factor = writer.element(factors, 0), term = writer.element(factors, 1);
  for (unsigned step = 0; step < deviceFmaSteps; ++step)
    for (std::string &chain : chains)
      chain = writer.value("spirv.GL.Fma " + chain + ", " + factor + ", " + term + " : f32");
  std::string sum = chains.front();
  for (const std::string &chain : ArrayRef(chains).drop_front())
    sum = writer.value("spirv.FAdd " + sum + ", " + chain + " : f32");
  writer.use(sum, factors, 3);
  writer.end("fma");
}

llvm::Expected<std::vector<char>> heddle::bench::makeSpirvLoops(MLIRContext &context) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "spirv.module Logical GLSL450 requires #spirv.vce<v1.0, [Shader], [SPV_KHR_storage_buffer_storage_class]> {\n"
        "  spirv.GlobalVariable @thread built_in(\"LocalInvocationId\") : !spirv.ptr<vector<3xi32>, Input>\n"
        "  spirv.GlobalVariable @group built_in(\"WorkgroupId\") : !spirv.ptr<vector<3xi32>, Input>\n"
     << "  spirv.GlobalVariable @from bind(0, 0) : " << KernelWriter::structure << "\n"
     << "  spirv.GlobalVariable @to bind(0, 1) : " << KernelWriter::structure << "\n";
  writeSpirvCopy(os);
  writeSpirvRead(os);
  writeSpirvFma(os);
  os << "}\n";
  context.loadDialect<spirv::SPIRVDialect>();
  auto module = parseSourceString<spirv::ModuleOp>(text, &context);
  SmallVector<uint32_t, 0> words;
  if (!module || failed(spirv::serialize(*module, words)))
    return llvm::createStringError("cannot translate the kernels that measure the roofs of a device to SPIR-V");
  const char *first = reinterpret_cast<const char *>(words.data());
  return std::vector<char>(first, first + words.size() * sizeof(uint32_t));
}
