//===- Parser.cpp - parses the bodies of kernels in PTX -------------------===//

#include "Parser.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace heddle::ptx;

bool Parser::fail(const Twine &what, unsigned line) {
  if (message.empty())
    message = ("line " + Twine(line ? line : token.line) + ": " + what).str();
  return false;
}

bool Parser::consume(StringRef mark) {
  if (!token.is(mark))
    return false;
  advance();
  return true;
}

bool Parser::consumeWord(StringRef word) {
  if (!token.isWord(word))
    return false;
  advance();
  return true;
}

bool Parser::expect(StringRef mark) {
  if (consume(mark))
    return true;
  if (token.kind == Token::End)
    return fail("unexpected end of the text, expected '" + mark + "'");
  return fail("expected '" + mark + "', found '" + token.text + "'");
}

bool Parser::takeWord(StringRef &word, StringRef what) {
  if (token.kind != Token::Word)
    return token.kind == Token::End ? fail("unexpected end of the text, expected " + what)
                                    : fail("expected " + what + ", found '" + token.text + "'");
  word = token.text;
  advance();
  return true;
}

bool Parser::takeNumber(uint64_t &number, uint64_t highest, StringRef what) {
  if (token.kind != Token::Number || token.floatBytes)
    return fail("expected " + what + ", found '" + token.text + "'");
  if (token.value > highest)
    return fail(what + " is " + Twine(token.value) + ", but must be at most " + Twine(highest));
  number = token.value;
  advance();
  return true;
}

bool Parser::skipTo(StringRef mark) {
  while (token.kind != Token::End && !token.is(mark))
    advance();
  return expect(mark);
}

bool Parser::parseRegisters(Kernel &kernel) {
  StringRef word;
  if (!takeWord(word, "a type"))
    return false;
  std::optional<Type> type = word.consume_front(".") ? parseType(word) : std::nullopt;
  if (!type)
    return fail("a register cannot have the type '" + word + "'");
  do {
    StringRef name;
    uint64_t count = 0;
    unsigned line = token.line;
    if (!takeWord(name, "a register's name"))
      return false;
    if (consume("<") && (!takeNumber(count, maxRegisters, "the number of registers") || !expect(">")))
      return false;
    registerCount += std::max<uint64_t>(count, 1);
    if (registerCount > maxRegisters)
      return fail("more than " + Twine(maxRegisters) + " registers are not supported", line);
    if (!blocks.empty()) { // Give a register of an inner block a unique name, because the name may also exist outside.
      if (count)
        return fail("a declaration of several registers, NAME<NUMBER>, is not supported in an inner block", line);
      StringRef inner = module.names.emplace_back((name + "#" + Twine(module.names.size())).str());
      if (!blocks.back().try_emplace(name, inner).second)
        return fail("register " + name + " is declared twice", line);
      name = inner;
    }
    if (!kernel.registers.try_emplace(name, Registers{*type, unsigned(count)}).second)
      return fail("register " + name + " is declared twice", line);
  } while (consume(","));
  return expect(";");
}

bool Parser::parseSigned(Operand &operand) {
  bool minus = consume("-");
  if (token.kind == Token::End)
    return fail("unexpected end of the text, expected an operand");
  if (token.kind != Token::Number)
    return fail("expected a number, found '" + token.text + "'");
  if (minus && token.floatBytes)
    return fail("a float in hexadecimal form, such as 0f3F800000, cannot have a minus sign");
  operand.number = minus ? 0 - token.value : token.value;
  operand.floatBytes = token.floatBytes;
  advance();
  return true;
}

bool Parser::parseAddress(Operand &operand) {
  operand.kind = Operand::Address;
  if (token.kind == Token::Word) {
    operand.name = token.text;
    advance();
    if (!token.is("+") && !token.is("-"))
      return expect("]");
    consume("+");
  }
  return parseSigned(operand) && expect("]");
}

StringRef Parser::findRegister(StringRef name, const Kernel &kernel) const {
  for (const StringMap<StringRef> &block : reverse(blocks))
    if (auto found = block.find(name); found != block.end())
      return found->second;
  // "_" as a destination discards the result.
  return name.starts_with("%") || name == "_" || kernel.registers.contains(name) ? name : StringRef();
}

bool Parser::parseOperand(const Kernel &kernel, Operand &operand, bool mayBeVector) {
  if (mayBeVector && consume("{")) {
    operand.kind = Operand::Vector;
    do {
      if (operand.parts.size() == 64)
        return fail("a vector of more than 64 elements is not supported");
      if (!parseOperand(kernel, operand.parts.emplace_back(), /*mayBeVector=*/false))
        return false;
    } while (consume(","));
    return expect("}");
  }
  if (consume("[")) {
    if (!parseAddress(operand))
      return false;
    StringRef name = findRegister(operand.name, kernel);
    operand.name = name.empty() ? operand.name : name;
    return true;
  }
  operand.negated = consume("!");
  if (token.kind == Token::Word) {
    StringRef name = findRegister(token.text, kernel);
    operand.kind = name.empty() ? Operand::Symbol : Operand::Register;
    operand.name = name.empty() ? token.text : name;
    advance();
    return true;
  }
  operand.kind = Operand::Number;
  return parseSigned(operand);
}

bool Parser::parseStatement(Kernel &kernel) {
  Statement statement;
  statement.line = token.line;
  if (kernel.statements.size() == maxInstructions)
    return fail("more than " + Twine(maxInstructions) + " instructions are not supported");
  if (consume("@")) {
    statement.negated = consume("!");
    if (!takeWord(statement.predicate, "a predicate"))
      return false;
    if (StringRef name = findRegister(statement.predicate, kernel); !name.empty())
      statement.predicate = name;
  }
  const char *begin = token.text.data();
  if (!takeWord(statement.opcode, "an instruction"))
    return false;
  while (!token.is(";")) {
    if (statement.operands.size() == 16)
      return fail("more than 16 operands are not supported");
    if (!parseOperand(kernel, statement.operands.emplace_back(), /*mayBeVector=*/true))
      return false;
    if (!consume(",") && !consume("|"))
      break;
  }
  statement.text = StringRef(begin, size_t(token.text.data() - begin));
  if (!expect(";"))
    return false;
  kernel.statements.push_back(std::move(statement));
  return true;
}

bool Parser::parseLine(Kernel &kernel) {
  if (consumeWord(".reg"))
    return parseRegisters(kernel);
  if (consumeWord(".shared"))
    return parseVariable(Space::Shared, /*isExternal=*/false, kernel.variables);
  if (consumeWord(".local"))
    return parseVariable(Space::Local, /*isExternal=*/false, kernel.variables);
  if (consumeWord(".pragma"))
    return skipTo(";");
  if (token.isWord(".loc")) { // A `.loc` directive ends at the end of its line.
    for (unsigned line = token.line; token.line == line && token.kind != Token::End;)
      advance();
    return true;
  }
  if (consume("{")) {
    blocks.emplace_back();
    return blocks.size() <= 64 || fail("more than 64 nested blocks are not supported");
  }
  if (token.kind == Token::Word && token.text.starts_with("."))
    return fail("'" + token.text + "' is not supported within a kernel");
  // A label is a word with a colon after it.
  if (token.kind == Token::Word) {
    Lexer ahead = lexer;
    if (ahead.next().is(":")) {
      if (!kernel.labels.try_emplace(token.text, unsigned(kernel.statements.size())).second)
        return fail("label " + token.text + " is declared twice");
      advance();
      return expect(":");
    }
  }
  return parseStatement(kernel);
}

bool Parser::parseBody(Kernel &kernel) {
  registerCount = 0;
  blocks.clear();
  if (!expect("{"))
    return false;
  while (true) {
    if (consume("}")) {
      if (blocks.empty())
        return true;
      blocks.pop_back();
      continue;
    }
    if (token.kind == Token::End)
      return fail("unexpected end of the text in kernel " + kernel.name);
    if (!parseLine(kernel))
      return false;
  }
}
