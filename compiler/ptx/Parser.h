//===- Parser.h - reads PTX -------------------------------------*- C++ -*-===//

#ifndef HEDDLE_PTX_PARSER_H
#define HEDDLE_PTX_PARSER_H

#include "Lexer.h"
#include "Module.h"

namespace heddle::ptx {

/// Reads one text. Functions that return false have said what is wrong; the first to say so is heard.
class Parser {
public:
  explicit Parser(Module &module) : module(module), lexer(module.text) { advance(); }

  bool parseModule();
  const std::string &error() const { return message; }

private:
  void advance() { token = lexer.next(); }
  bool fail(const llvm::Twine &what, unsigned line = 0);
  bool expect(llvm::StringRef mark);
  bool consume(llvm::StringRef mark);
  bool consumeWord(llvm::StringRef word);
  bool takeWord(llvm::StringRef &word, llvm::StringRef what);
  bool takeNumber(uint64_t &number, uint64_t highest, llvm::StringRef what);
  /// Drops what follows up to a mark, and the mark.
  bool skipTo(llvm::StringRef mark);

  // Of a module (ParserDirectives.cpp).
  bool parseDirective();
  bool parseTarget();
  bool parseKernel();
  bool parseParameter(Kernel &kernel);
  bool parseKernelDirective(Kernel &kernel);
  bool parseThreads(Kernel &kernel, bool exact);
  /// A variable, whose space was read.
  bool parseVariable(Space space, bool isExternal, std::vector<Variable> &variables);
  bool parseInitial(Variable &variable, Type type, uint64_t count);

  // Of a kernel.
  /// What a name within blocks means: a register that one of them has, or one of the kernel's; "" where it is none.
  llvm::StringRef findRegister(llvm::StringRef name, const Kernel &kernel) const;
  bool parseBody(Kernel &kernel);
  bool parseLine(Kernel &kernel);
  bool parseRegisters(Kernel &kernel);
  bool parseStatement(Kernel &kernel);
  bool parseOperand(const Kernel &kernel, Operand &operand, bool mayBeVector);
  bool parseAddress(Operand &operand);
  bool parseSigned(Operand &operand);

  Module &module;
  Lexer lexer;
  Token token;
  uint64_t registerCount = 0; // of the kernel
  uint64_t variableCount = 0, variableBytes = 0;
  /// Of each block that is open, its registers by the names that they have there.
  std::vector<llvm::StringMap<llvm::StringRef>> blocks;
  std::string message;
};

} // namespace heddle::ptx

#endif // HEDDLE_PTX_PARSER_H
