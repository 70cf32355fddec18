//===- object_test.cpp - symbols and assembly of object files -------------===//
//
// A compiled object file must export only the functions of its model, need only a few functions of libc, and contain no
// mutable data, so that it can be linked into every host program.
//
//===----------------------------------------------------------------------===//

#include "heddle/Compile.h"
#include "heddle/Registry.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Object/ELFObjectFile.h"
#include "gtest/gtest.h"

#include <fstream>
#include <set>
#include <sstream>

using namespace mlir;
using namespace heddle;

namespace {

using Names = std::set<std::string>;

/// The global symbols that an object file defines, its undefined symbols, and the names of its sections.
struct Symbols {
  Names exported, needed, sections;
};

Symbols readSymbols(llvm::MemoryBufferRef buffer) {
  Symbols symbols;
  auto file = llvm::cantFail(llvm::object::ObjectFile::createObjectFile(buffer));
  for (const llvm::object::SymbolRef &symbol : file->symbols()) {
    uint32_t flags = llvm::cantFail(symbol.getFlags());
    std::string name = llvm::cantFail(symbol.getName()).str();
    if (flags & llvm::object::SymbolRef::SF_Undefined) {
      if (!name.empty())
        symbols.needed.insert(name);
    } else if (flags & llvm::object::SymbolRef::SF_Global) {
      symbols.exported.insert(name);
    }
  }
  for (const llvm::object::SectionRef &section : file->sections())
    symbols.sections.insert(llvm::cantFail(section.getName()).str());
  return symbols;
}

/// A chain of elementwise operations with functions that LLVM might compile to calls of a math library: exp, tanh, erf
/// and sqrt.
const char *exampleModule = R"(
func.func @main(%x: tensor<4x37xf32> {heddle.name = "x"}) -> (tensor<4x37xf32> {heddle.name = "y"}) {
  %w = heddle.weight "w" : tensor<4x37xf32>
  %0 = arith.mulf %x, %w : tensor<4x37xf32>
  %1 = math.exp %0 : tensor<4x37xf32>
  %2 = math.tanh %1 : tensor<4x37xf32>
  %3 = math.erf %2 : tensor<4x37xf32>
  %4 = math.sqrt %3 : tensor<4x37xf32>
  return %4 : tensor<4x37xf32>
})";

/// Compiles exampleModule with a weight of zeros.
CompiledModel compile(MLIRContext &context, const CompileOptions &options) {
  DialectRegistry registry;
  registerDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  Model model;
  model.module = parseSourceString<ModuleOp>(exampleModule, &context);
  model.weights.add("w", RankedTensorType::get({4, 37}, Float32Type::get(&context)),
                    std::vector<char>(4 * 4 * 37));
  FailureOr<CompiledModel> compiled = compileModel(std::move(model), options);
  EXPECT_TRUE(succeeded(compiled));
  return std::move(*compiled);
}

/// Returns a callback for CompileOptions::afterStage that stores the assembly in `text`.
auto keepAssembly(std::string &text) {
  return [&text](Stage stage, StringRef, llvm::function_ref<void(llvm::raw_ostream &)> print) {
    llvm::raw_string_ostream os(text);
    if (stage == Stage::Object)
      print(os);
    return success();
  };
}

TEST(Object, ExportsItsNameAndNeedsNoMathLibrary) {
  MLIRContext context;
  CompileOptions options;
  options.name = "tiny";
  options.embedWeights = true;
  CompiledModel compiled = compile(context, options);
  Symbols symbols = readSymbols(compiled.object->getMemBufferRef());
  EXPECT_EQ(symbols.exported, (Names{"tiny_init", "tiny_init_variant", "tiny_variant", "tiny_run", "tiny_arena_size",
                                     "tiny_status_text", "tiny_describe"}));
  for (const std::string &name : symbols.needed)
    EXPECT_TRUE(name == "memcpy" || name == "memset" || name == "memmove" || name == "strcmp" ||
                name == "_GLOBAL_OFFSET_TABLE_")
        << name;
  EXPECT_EQ(symbols.sections.count(".heddle_weights"), 1u);
  EXPECT_EQ(symbols.sections.count(".bss") + symbols.sections.count(".data"), 0u)
      << "the object must not contain mutable data";
}

TEST(Object, SharedLibrariesExportAQuery) {
  MLIRContext context;
  CompileOptions options;
  options.name = "tiny";
  options.exportQuery = true;
  CompiledModel compiled = compile(context, options);
  EXPECT_EQ(readSymbols(compiled.object->getMemBufferRef()).exported.count("heddle_query"), 1u);
}

// x86-64-v2 has neither AVX nor FMA. Code for it must not call fmaf in place of FMA instructions, and must check the
// CPU with cpuid.
TEST(Object, OldCpusGetNoAvxOrFma) {
  MLIRContext context;
  CompileOptions options;
  options.target.cpu = "x86-64-v2";
  std::string assembly;
  options.afterStage = keepAssembly(assembly);
  CompiledModel compiled = compile(context, options);
  EXPECT_EQ(readSymbols(compiled.object->getMemBufferRef()).needed.count("fmaf"), 0u);
  EXPECT_EQ(assembly.find("%ymm"), std::string::npos);
  EXPECT_NE(assembly.find("cpuid"), std::string::npos);
}

TEST(Object, AssemblyWithEmbeddedWeightsNamesNoFile) {
  MLIRContext context;
  CompileOptions options;
  options.embedWeights = true;
  std::string assembly;
  options.afterStage = keepAssembly(assembly);
  CompiledModel compiled = compile(context, options);
  EXPECT_EQ(assembly.find(".incbin"), std::string::npos);
  ASSERT_GT(compiled.stackSize, 0u);
  EXPECT_NE(assembly.find(".quad\t" + std::to_string(compiled.stackSize)), std::string::npos)
      << "the description in the assembly must contain the stack size";
}

TEST(Header, ContainsTheSharedPartOfAbi) {
  MLIRContext context;
  CompileOptions options;
  options.name = "tiny";
  CompiledModel compiled = compile(context, options);
  std::ifstream file(HEDDLE_ABI_HEADER);
  std::stringstream abi;
  abi << file.rdbuf();
  size_t start = abi.str().find("#ifndef HEDDLE_ABI_2"), end = abi.str().find("#endif", start);
  ASSERT_NE(start, std::string::npos);
  EXPECT_NE(compiled.header.find(abi.str().substr(start, end - start)), std::string::npos);
}

} // namespace
