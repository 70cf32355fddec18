//===- Codegen.cpp - LLVM IR optimised and made into objects --------------===//

#include "Codegen.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/LEB128.h"

using namespace llvm;
using namespace heddle;

void heddle::setTarget(Module &module, const CpuTarget &target) {
  module.setTargetTriple(target.getMachine().getTargetTriple());
  module.setDataLayout(target.getMachine().createDataLayout());
  module.setPICLevel(PICLevel::BigPIC);
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("tune-cpu", target.getCpu());
    function.addFnAttr(Attribute::NoUnwind);
    if (target.has("avx512f")) // loops that LLVM vectorises, not only what strategies wrote
      function.addFnAttr("prefer-vector-width", "512");
  }
}

void heddle::optimize(Module &module, const CpuTarget &target) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager sccs;
  ModuleAnalysisManager modules;
  // What is in nobody's library cannot be called: of libc only the memory functions.
  TargetLibraryInfoImpl library(target.getMachine().getTargetTriple());
  library.disableAllFunctions();
  for (LibFunc function : {LibFunc_memcpy, LibFunc_memset, LibFunc_memmove})
    library.setAvailable(function);
  functions.registerPass([&] { return TargetLibraryAnalysis(library); });
  PassBuilder builder(&target.getMachine());
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3).run(module, modules);
}

mlir::FailureOr<SmallVector<char, 0>> heddle::emitCode(mlir::Location loc, Module &module,
                                                       const CpuTarget &target, CodeGenFileType type) {
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream(bytes);
  legacy::PassManager passes;
  if (target.getMachine().addPassesToEmitFile(passes, stream, nullptr, type, /*DisableVerify=*/true))
    return mlir::emitError(loc) << "LLVM cannot write this kind of file for "
                                << target.getMachine().getTargetTriple().str();
  passes.run(module);
  return bytes;
}

void heddle::embedFile(Module &module, StringRef path, StringRef symbol) {
  std::string quoted;
  for (char c : path) {
    if (c == '"' || c == '\\')
      quoted += '\\';
    quoted += c;
  }
  // "a": loaded, never written. The symbol is local to the object.
  module.appendModuleInlineAsm((".section .heddle_weights,\"a\",@progbits\n.p2align 6\n" + symbol +
                                ":\n.incbin \"" + quoted + "\"\n.size " + symbol + ", .-" + symbol +
                                "\n.text\n")
                                   .str());
  if (GlobalVariable *global = module.getGlobalVariable(symbol))
    global->setDSOLocal(true);
}

ObjectSizes heddle::measureObject(MemoryBufferRef buffer, unsigned depth) {
  ObjectSizes sizes;
  Expected<std::unique_ptr<object::ObjectFile>> file = object::ObjectFile::createObjectFile(buffer);
  if (!file) {
    consumeError(file.takeError());
    return sizes;
  }
  SmallVector<uint64_t> frames;
  for (const object::SectionRef &section : (*file)->sections()) {
    StringRef name = cantFail(section.getName(), "section of an object just written");
    if (section.isText() || name.starts_with(".rodata") || name.starts_with(".data.rel.ro"))
      sizes.code += section.getSize();
    if (!name.starts_with(".stack_sizes"))
      continue;
    // Pairs of an address (relocated) and a size in LEB128.
    Expected<StringRef> contents = section.getContents();
    if (!contents) {
      consumeError(contents.takeError());
      continue;
    }
    const uint8_t *data = contents->bytes_begin(), *end = contents->bytes_end();
    while (end - data > 8) {
      unsigned length = 0;
      frames.push_back(decodeULEB128(data + 8, &length, end));
      data += 8 + length;
    }
  }
  // No function calls itself: a call takes at most the largest frames, one per level.
  llvm::sort(frames, std::greater<uint64_t>());
  for (uint64_t frame : ArrayRef(frames).take_front(depth))
    sizes.stack += frame + 16;
  return sizes;
}
