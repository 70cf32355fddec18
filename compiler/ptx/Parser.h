//===- Parser.h - parses PTX ------------------------------------*- C++ -*-===//

#ifndef HEDDLE_PTX_PARSER_H
#define HEDDLE_PTX_PARSER_H

#include "Lexer.h"
#include "Module.h"

namespace heddle::ptx {

/// Parses one PTX text. A function that returns false has recorded an error message; only the first message is kept.
class Parser {
public:
  explicit Parser(Module &module) : module(module), lexer(module.text) { advance(); }

  /// Parses `module.text` into the other members of the module.
  bool parseModule();
  const std::string &error() const { return message; }

private:
  void advance() { token = lexer.next(); }
  /// Records an error in a line, or in the line of the current token if `line` is 0. Returns false.
  bool fail(const llvm::Twine &what, unsigned line = 0);
  /// Consumes this punctuation character. Fails if the current token is a different one.
  bool expect(llvm::StringRef mark);
  // Consume the current token and return true if it is this punctuation character or word.
  bool consume(llvm::StringRef mark);
  bool consumeWord(llvm::StringRef word);
  /// Consume a word, or an integer that is at most `highest`. `what` is its description in error messages.
  bool takeWord(llvm::StringRef &word, llvm::StringRef what);
  bool takeNumber(uint64_t &number, uint64_t highest, llvm::StringRef what);
  /// Skips all tokens before the next `mark`, and the mark itself.
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
  /// Returns the unique name of a register. If several open blocks declare `name`, the innermost one has precedence.
  /// Returns "" if `name` does not name a register. "_" and names that begin with "%" count as registers, even if they
  /// are not declared: the decoder reports undeclared ones.
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
  Token token;                                   // the current token, which is not consumed yet
  uint64_t registerCount = 0;                    // the number of registers of the current kernel
  uint64_t variableCount = 0, variableBytes = 0; // the number and total size of all variables, with those of kernels
  /// For each open inner block, from the outermost: a map from the names of the block's registers to their unique names
  /// in the kernel (Module::names).
  std::vector<llvm::StringMap<llvm::StringRef>> blocks;
  std::string message; // the first error; empty if there is none
};

} // namespace heddle::ptx

#endif // HEDDLE_PTX_PARSER_H
