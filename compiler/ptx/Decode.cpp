//===- Decode.cpp - from parsed kernels to executable programs ------------===//

#include "Instructions.h"

using namespace llvm;
using namespace heddle::ptx;

/// Returns the decode function of a mnemonic, or null if the mnemonic is unknown.
static Decode decodeOf(StringRef mnemonic) {
  static const StringMap<Decode> known = {
#define HEDDLE_PTX(mnemonic, decode) {mnemonic, decode},
#include "Instructions.def"
#undef HEDDLE_PTX
  };
  auto found = known.find(mnemonic);
  return found == known.end() ? nullptr : found->second;
}

Expected<Program> heddle::ptx::decode(const Module &module, const Kernel &kernel) {
  Program program;
  program.kernel = &kernel;
  Layout layout(module, program);
  auto refuse = [&](const std::string &what) { return createStringError(kernel.name + ", " + what); };
  for (auto [bytes, maximum, what] : {std::tuple(program.sharedBytes, maxSharedBytes, "shared memory per workgroup"),
                                      {program.localBytes, maxLocalBytes, "local memory per thread"}})
    if (bytes > maximum)
      return refuse(("line " + Twine(kernel.line) + ": " + Twine(bytes) + " bytes of " + what + "; the limit is " +
                     Twine(maximum))
                        .str());
  for (const Statement &statement : kernel.statements) {
    Decoder decoder(layout, statement);
    StringRef mnemonic = statement.opcode.split('.').first;
    Decode decode = decodeOf(mnemonic);
    if (!decode)
      return refuse("line " + std::to_string(statement.line) + ": unknown instruction: " + statement.opcode.str());
    if (!decode(decoder))
      return refuse(decoder.error);
    if (!statement.predicate.empty()) {
      std::optional<Layout::Slot> predicate = layout.find(statement.predicate);
      if (!predicate || predicate->type.kind != Type::Predicate)
        return refuse("line " + std::to_string(statement.line) + ": there is no predicate " +
                      statement.predicate.str());
      decoder.out.predicate = predicate->row;
      decoder.out.negated = statement.negated;
    }
    program.code.push_back(std::move(decoder.out));
    if (program.registers.size() > maxRegisterBytes)
      return refuse("line " + std::to_string(statement.line) +
                    ": the registers and constants of a warp need more than " + std::to_string(maxRegisterBytes) +
                    " bytes, which is the limit");
  }
  // Append an `exit` for lanes that reach the end of the kernel. This `exit` is also the target of branches to a label
  // at the end.
  static const Statement end = {};
  Instruction exit;
  exit.control = Instruction::Exit;
  exit.statement = &end;
  program.code.push_back(std::move(exit));
  findJoins(program.code);
  return program;
}
