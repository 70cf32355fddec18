//===- Parser.h - parses PTX ------------------------------------*- C++ -*-===//

#ifndef HEDDLE_PTX_PARSER_H
#define HEDDLE_PTX_PARSER_H

#include "Lexer.h"
#include "Module.h"

namespace heddle::ptx {

/// Parses one text. A function that returns false has recorded an error message; only the first message is kept.
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
  /// Skips everything up to the mark, and the mark.
  bool skipTo(llvm::StringRef mark);

  // Parse a module (ParserDirectives.cpp).
  bool parseDirective();
  bool parseTarget();
  bool parseKernel();
  bool parseParameter(Kernel &kernel);
  bool parseKernelDirective(Kernel &kernel);
  bool parseThreads(Kernel &kernel, bool exact);
  /// Parses the declaration of a variable. The caller has consumed its state space.
  bool parseVariable(Space space, bool isExternal, std::vector<Variable> &variables);
  bool parseInitial(Variable &variable, Type type, uint64_t count);

  // Parse the body of a kernel (Parser.cpp).
  /// Resolves the name of a register, which may be declared by the kernel or by an open block. The innermost block has
  /// precedence. Returns "" if no register has this name.
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
  uint64_t registerCount = 0;                    // the number of registers of the current kernel
  uint64_t variableCount = 0, variableBytes = 0; // the number of variables of the module, and their bytes
  /// For each open block: its registers, by the names that they have in the block.
  std::vector<llvm::StringMap<llvm::StringRef>> blocks;
  std::string message;
};

} // namespace heddle::ptx

#endif // HEDDLE_PTX_PARSER_H
