//===- shared_library_test.cpp - shared libraries made from objects -------===//
//
// writeSharedLibrary (heddle/Link.h) makes a shared library from one object file, without a linker program. The tests
// load such libraries with dlopen, examine their ELF segments, and pass objects to writeSharedLibrary that it must
// refuse.
//
//===----------------------------------------------------------------------===//

#include "heddle/Link.h"
#include "heddle/TemporaryFile.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "gtest/gtest.h"

#include <dlfcn.h>

using namespace mlir;
using namespace heddle;
using llvm::object::ELF64LE;
using namespace llvm::ELF;

namespace {

/// Compiles the LLVM IR `text` to an object file for `triple`.
std::unique_ptr<llvm::MemoryBuffer> makeObject(const char *text, StringRef triple = "x86_64-linux-gnu",
                                               llvm::Reloc::Model model = llvm::Reloc::PIC_) {
  llvm::InitializeAllTargetInfos();
  llvm::InitializeAllTargets();
  llvm::InitializeAllTargetMCs();
  llvm::InitializeAllAsmPrinters();
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, diagnostic, context);
  EXPECT_TRUE(module) << diagnostic.getMessage().str();
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(llvm::Triple(triple), error);
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(llvm::Triple(triple), "", "", {}, model, llvm::CodeModel::Small));
  module->setTargetTriple(llvm::Triple(triple));
  module->setDataLayout(machine->createDataLayout());
  llvm::SmallString<0> object;
  llvm::raw_svector_ostream os(object);
  llvm::legacy::PassManager passes;
  EXPECT_FALSE(machine->addPassesToEmitFile(passes, os, nullptr, llvm::CodeGenFileType::ObjectFile));
  passes.run(*module);
  return llvm::MemoryBuffer::getMemBufferCopy(object, "object");
}

struct SharedLibraryTest : testing::Test {
  SharedLibraryTest() : file(llvm::cantFail(TemporaryFile::create("so"))) {}

  /// Writes a shared library made from `object` to `file`. Appends errors to `message`.
  LogicalResult write(const llvm::MemoryBuffer &object) {
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) { message += diagnostic.str(); });
    return writeSharedLibrary(context, file.path(), object);
  }

  /// Returns the content of `file`.
  std::string bytes() {
    return llvm::cantFail(llvm::errorOrToExpected(llvm::MemoryBuffer::getFile(file.path())))->getBuffer().str();
  }

  MLIRContext context;
  TemporaryFile file;
  std::string message; // all errors of the test so far
};

/// A module with constants, a hidden function, pointers to a constant, to the hidden function and to an external
/// function, and calls of external functions.
const char *assembly = R"(
@table = constant [3 x i32] [i32 5, i32 7, i32 11], align 64
@pointers = constant [3 x ptr] [ptr @table, ptr @own, ptr @strlen]
declare i64 @strlen(ptr)
declare i32 @abs(i32)
define hidden i64 @own(ptr %x) {
  %n = call i64 @strlen(ptr %x)
  ret i64 %n
}
define i64 @answer(ptr %text, i32 %i) {
  %p = getelementptr [3 x ptr], ptr @pointers, i32 0, i32 %i
  %f = load ptr, ptr %p
  %n = call i64 %f(ptr %text)
  ret i64 %n
}
define i32 @sum(i32 %i) {
  %j = call i32 @abs(i32 %i)
  %p = getelementptr [3 x i32], ptr @table, i32 0, i32 %j
  %v = load i32, ptr %p
  ret i32 %v
}
)";

TEST_F(SharedLibraryTest, LoadsAndBindsNames) {
  ASSERT_TRUE(succeeded(write(*makeObject(assembly)))) << message;
  void *library = dlopen(file.path().str().c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_TRUE(library) << dlerror();
  auto *answer = reinterpret_cast<int64_t (*)(const char *, int)>(dlsym(library, "answer"));
  auto *sum = reinterpret_cast<int (*)(int)>(dlsym(library, "sum"));
  auto *pointers = static_cast<void **>(dlsym(library, "pointers"));
  ASSERT_TRUE(answer && sum && pointers);
  EXPECT_EQ(answer("heddle", 1), 6);
  EXPECT_EQ(answer("heddle!", 2), 7);
  EXPECT_EQ(sum(-2), 11);
  EXPECT_EQ(pointers[0], dlsym(library, "table"));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(pointers[0]) % 64, 0u);
  EXPECT_FALSE(dlsym(library, "own")) << "a hidden function must not be exported";
  dlclose(library);
}

TEST_F(SharedLibraryTest, BytesAreDeterministic) {
  std::unique_ptr<llvm::MemoryBuffer> object = makeObject(assembly);
  ASSERT_TRUE(succeeded(write(*object)));
  std::string first = bytes();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(succeeded(write(*object)));
    EXPECT_EQ(bytes(), first);
  }
}

TEST_F(SharedLibraryTest, SegmentsAreInTheFileAndShareNoPages) {
  for (StringRef triple : {"x86_64-linux-gnu", "aarch64-linux-gnu"}) {
    ASSERT_TRUE(succeeded(write(*makeObject(assembly, triple)))) << message;
    std::string content = bytes();
    auto elf = llvm::object::ELFFile<ELF64LE>::create(content);
    ASSERT_TRUE(bool(elf));
    uint64_t page = triple.starts_with("x86") ? 4096 : 65536, last = 0;
    unsigned loaded = 0;
    for (const ELF64LE::Phdr &segment : llvm::cantFail(elf->program_headers())) {
      EXPECT_LE(segment.p_offset + segment.p_filesz, content.size());
      EXPECT_NE(segment.p_flags & (PF_W | PF_X), PF_W | PF_X);
      if (segment.p_type != PT_LOAD)
        continue;
      ++loaded;
      EXPECT_EQ(segment.p_align, page);
      EXPECT_EQ(segment.p_offset % page, segment.p_vaddr % page);
      EXPECT_GE(segment.p_vaddr / page * page, last) << "two segments share a page";
      last = segment.p_vaddr + segment.p_memsz;
    }
    EXPECT_EQ(loaded, 3u);
    std::vector<std::string> undefined;
    for (const ELF64LE::Shdr &section : llvm::cantFail(elf->sections()))
      if (section.sh_type == SHT_DYNSYM)
        for (const ELF64LE::Sym &symbol : llvm::cantFail(elf->symbols(&section)).drop_front())
          if (symbol.isUndefined())
            undefined.push_back(
                llvm::cantFail(symbol.getName(llvm::cantFail(elf->getStringTableForSymtab(section)))).str());
    EXPECT_EQ(undefined, (std::vector<std::string>{"abs", "strlen"}));
  }
}

TEST_F(SharedLibraryTest, DataIsWritableAndPointersAreReadOnly) {
  ASSERT_TRUE(succeeded(write(*makeObject(R"(
@count = internal global i32 3
@zero = internal global [5000 x i32] zeroinitializer
@pointer = constant ptr @count
define i32 @next() {
  %n = load i32, ptr @count
  %p = getelementptr [5000 x i32], ptr @zero, i32 0, i32 4999
  %z = load i32, ptr %p
  %m = add i32 %n, 1
  %r = add i32 %m, %z
  store i32 %m, ptr @count
  store i32 10, ptr %p
  ret i32 %r
})"))))
      << message;
  void *library = dlopen(file.path().str().c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_TRUE(library) << dlerror();
  auto *next = reinterpret_cast<int (*)()>(dlsym(library, "next"));
  EXPECT_EQ(next(), 4);
  EXPECT_EQ(next(), 15);
  auto *pointer = static_cast<int **>(dlsym(library, "pointer"));
  EXPECT_EQ(**pointer, 5);
  EXPECT_DEATH(*pointer = nullptr, "");
  dlclose(library);
}

/// Code that is not position-independent contains 32-bit addresses in instructions, which a loader cannot relocate.
TEST_F(SharedLibraryTest, AddressesInInstructionsAreRefused) {
  EXPECT_TRUE(failed(write(*makeObject(R"(
@table = internal constant [3 x i32] [i32 5, i32 7, i32 11]
define i32 @f(i64 %i) {
  %p = getelementptr [3 x i32], ptr @table, i64 0, i64 %i
  %v = load i32, ptr %p
  ret i32 %v
})",
                                       "x86_64-linux-gnu", llvm::Reloc::Static))));
  EXPECT_NE(message.find("section .text has an address of kind Pointer32Signed, which a loader cannot change"),
            std::string::npos)
      << message;
}

/// With `nonlazybind`, code reads the address of a called function from the global offset table. The function @called
/// reaches @own by a call instruction, and the function @left by a jump.
TEST_F(SharedLibraryTest, CallsThroughTheGlobalOffsetTable) {
  ASSERT_TRUE(succeeded(write(*makeObject(R"(
define i32 @own(i32 %x) noinline nonlazybind {
  %y = mul i32 %x, 3
  ret i32 %y
}
define i32 @called(i32 %x) {
  %y = call i32 @own(i32 %x) nonlazybind
  %z = add i32 %y, 1
  ret i32 %z
}
define i32 @left(i32 %x) {
  %y = tail call i32 @own(i32 %x) nonlazybind
  ret i32 %y
})"))))
      << message;
  void *library = dlopen(file.path().str().c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_TRUE(library) << dlerror();
  EXPECT_EQ(reinterpret_cast<int (*)(int)>(dlsym(library, "called"))(5), 16);
  EXPECT_EQ(reinterpret_cast<int (*)(int)>(dlsym(library, "left"))(5), 15);
  dlclose(library);
}

TEST_F(SharedLibraryTest, UnsupportedSectionsAndRelocationsAreRefused) {
  const std::pair<const char *, const char *> cases[] = {
      {"@x = thread_local global i32 3", "section .tdata is not supported: thread-local data"},
      {R"(@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 1, ptr @f, ptr null }]
          define void @f() { ret void })",
       "section .ctors.65534 is not supported"},
      {"@x = constant [4 x i8] c\"abcd\", align 8192", "is aligned to 8192 bytes, more than the 4096 of a page"},
      {R"(@far = external global i8
          @x = constant i64 sub (i64 ptrtoint (ptr @far to i64), i64 ptrtoint (ptr @x to i64)))",
       "has an address of kind Delta64 of far, which is not in the library"}};
  for (auto [text, expected] : cases) {
    message.clear();
    EXPECT_TRUE(failed(write(*makeObject(text)))) << text;
    EXPECT_NE(message.find(expected), std::string::npos) << text << ": " << message;
  }
}

/// The second file is an object file that is truncated after 200 bytes.
TEST_F(SharedLibraryTest, FilesThatAreNotObjectsAreRefused) {
  EXPECT_TRUE(failed(write(*llvm::MemoryBuffer::getMemBuffer("no object at all, but some text"))));
  EXPECT_NE(message.find("cannot make a shared library: "), std::string::npos) << message;
  std::string cut = makeObject(assembly)->getBuffer().take_front(200).str();
  EXPECT_TRUE(failed(write(*llvm::MemoryBuffer::getMemBuffer(cut))));
}

} // namespace
