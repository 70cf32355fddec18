//===- Codegen.cpp - LLVM IR to objects -----------------------------------===//

#include "Codegen.h"

#include "targets/llvm/Optimize.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/LEB128.h"

#include <map>

using namespace llvm;
using namespace heddle;

void heddle::setTarget(Module &module, const CpuTarget &target) {
  module.setTargetTriple(target.getMachine().getTargetTriple());
  module.setDataLayout(target.getMachine().createDataLayout());
  module.setPICLevel(PICLevel::BigPIC);
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", target.getMachine().getTargetCPU());
    function.addFnAttr("target-features", target.getMachine().getTargetFeatureString());
    function.addFnAttr("tune-cpu", target.getName());
    function.addFnAttr(Attribute::NoUnwind);
    if (int64_t bits = target.getFacts().limits.at("vector_bits"); bits >= 512)
      function.addFnAttr("prefer-vector-width", std::to_string(bits)); // for loops that LLVM's optimizer vectorises
  }
}

void heddle::optimize(Module &module, const CpuTarget &target) {
  // LLVM may introduce only calls of these functions of libc, and none of a math library.
  optimize(module, target.getMachine(), {LibFunc_memcpy, LibFunc_memset, LibFunc_memmove});
  storeSingleLanes(module);
}

mlir::FailureOr<SmallVector<char, 0>> heddle::emitCode(mlir::Location loc, Module &module,
                                                       const CpuTarget &target, CodeGenFileType type) {
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream(bytes);
  legacy::PassManager passes;
  if (target.getMachine().addPassesToEmitFile(passes, stream, nullptr, type, /*DisableVerify=*/true))
    return mlir::emitError(loc) << "LLVM cannot write "
                                << (type == CodeGenFileType::AssemblyFile ? "assembly" : "an object file") << " for "
                                << target.getMachine().getTargetTriple().str();
  passes.run(module);
  return bytes;
}

void heddle::reserveWeights(Module &module, uint64_t size, StringRef symbol) {
  // The flag "a" means that the section is loaded, and is neither writable nor executable. The symbol is local to the
  // object.
  module.appendModuleInlineAsm((".section .heddle_weights,\"a\",@nobits\n.p2align 6\n" + symbol + ":\n.zero " +
                                Twine(size) + "\n.size " + symbol + ", .-" + symbol + "\n.text\n")
                                   .str());
  if (GlobalVariable *global = module.getGlobalVariable(symbol))
    global->setDSOLocal(true);
}

/// Reads the sizes of stack frames from the contents of a section .stack_sizes and appends them to `frames`. For each
/// function, the section contains an address of 8 bytes, which a relocation fills, and the size of the frame in bytes,
/// encoded as ULEB128.
static void readFrames(StringRef contents, SmallVectorImpl<uint64_t> &frames) {
  const uint8_t *data = contents.bytes_begin(), *end = contents.bytes_end();
  while (end - data > 8) {
    unsigned length = 0;
    frames.push_back(decodeULEB128(data + 8, &length, end));
    data += 8 + length;
  }
}

/// Returns an upper bound of the stack size of `depth` nested calls in bytes: the sum of the `depth` largest frames,
/// because no function calls itself. 16 bytes are added to each frame for the call.
static uint64_t addFrames(SmallVector<uint64_t> frames, unsigned depth) {
  llvm::sort(frames, std::greater<uint64_t>());
  uint64_t stack = 0;
  for (uint64_t frame : ArrayRef(frames).take_front(depth))
    stack += frame + 16;
  return stack;
}

ObjectSizes heddle::measureObject(MemoryBufferRef buffer, ArrayRef<std::string> sections, unsigned depth) {
  constexpr const char *just = "object just written"; // text for cantFail, which aborts if there is an error
  auto object = cantFail(object::ELF64LEObjectFile::create(buffer), just);
  ObjectSizes sizes;
  sizes.variants.resize(sections.size());
  std::map<StringRef, SmallVector<uint64_t>> frames; // for each text section, the frames of its functions
  for (const object::ELFSectionRef section : object.sections()) {
    StringRef name = cantFail(section.getName(), just);
    if (section.isText() || name.starts_with(".rodata") || name.starts_with(".data.rel.ro"))
      sizes.all.code += section.getSize();
    for (auto [variant, text] : zip_equal(sizes.variants, sections))
      if (name == text)
        variant.code += section.getSize();
    if (!name.starts_with(".stack_sizes"))
      continue;
    const auto *text =
        cantFail(object.getELFFile().getSection(object.getSection(section.getRawDataRefImpl())->sh_link), just);
    readFrames(cantFail(section.getContents(), just),
               frames[cantFail(object.getELFFile().getSectionName(*text), just)]);
  }
  SmallVector<uint64_t> shared; // frames of the functions that belong to no variant
  for (auto &[name, known] : frames)
    if (!is_contained(sections, name))
      shared.append(known);
  for (auto [variant, text] : zip_equal(sizes.variants, sections)) {
    SmallVector<uint64_t> own = shared;
    own.append(frames[text]);
    variant.stack = addFrames(own, depth);
    sizes.all.stack = std::max(sizes.all.stack, variant.stack);
  }
  return sizes;
}
