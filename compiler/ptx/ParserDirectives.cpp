//===- ParserDirectives.cpp - parses PTX outside the bodies of kernels ----===//

#include "Parser.h"

#include "heddle/LaunchComments.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace heddle::ptx;

bool Parser::parseTarget() {
  StringRef target;
  if (!takeWord(target, "a target"))
    return false;
  StringRef number = target;
  if (!number.consume_front("sm_") || number.consumeInteger(10, module.target))
    return fail("expected a target such as sm_80, found '" + target + "'");
  while (consume(",")) {
    StringRef option;
    if (!takeWord(option, "an option of the target"))
      return false;
    if (option != "debug")
      return fail("the target option '" + option + "' is not supported");
  }
  return true;
}

bool Parser::parseThreads(Kernel &kernel, bool exact) {
  kernel.exactThreads = exact;
  kernel.threads = {1, 1, 1};
  for (unsigned &count : kernel.threads) {
    uint64_t number;
    if (!takeNumber(number, 1024, "a number of threads"))
      return false;
    count = unsigned(number);
    if (!consume(","))
      return true;
  }
  return fail("a workgroup has at most three dimensions");
}

bool Parser::parseParameter(Kernel &kernel) {
  StringRef word;
  if (!consumeWord(".param"))
    return fail("expected a parameter, found '" + token.text + "'");
  if (!takeWord(word, "a type"))
    return false;
  std::optional<Type> type = word.consume_front(".") ? parseType(word) : std::nullopt;
  if (!type || !type->isInteger() || type->bytes != 8)
    return fail("expected a type of 64 bits for a parameter, because only pointers are supported, found '." + word +
                "'");
  if (consumeWord(".ptr")) // Skip the state space and the alignment of the pointer, which are only hints.
    while (token.kind == Token::Word && token.text.starts_with(".")) {
      bool align = token.text == ".align";
      advance();
      uint64_t number;
      if (align && !takeNumber(number, maxVariableBytes, "an alignment"))
        return false;
    }
  if (!takeWord(word, "a parameter's name"))
    return false;
  if (kernel.parameters.size() == maxParameters)
    return fail("more than " + Twine(maxParameters) + " parameters are not supported");
  if (is_contained(kernel.parameters, word))
    return fail("parameter " + word + " is declared twice");
  kernel.parameters.push_back(word);
  return true;
}

bool Parser::parseKernelDirective(Kernel &kernel) {
  if (consumeWord(".maxntid"))
    return parseThreads(kernel, /*exact=*/false);
  if (consumeWord(".reqntid"))
    return parseThreads(kernel, /*exact=*/true);
  uint64_t number; // unused: .minnctapersm and .maxnreg only limit the registers that the assembler may use
  if (consumeWord(".minnctapersm") || consumeWord(".maxnreg"))
    return takeNumber(number, maxVariableBytes, "a number");
  if (consumeWord(".pragma"))
    return skipTo(";");
  return fail("expected a kernel's body, found '" + token.text + "'");
}

bool Parser::parseKernel() {
  Kernel kernel;
  kernel.line = token.line;
  if (!takeWord(kernel.name, "a kernel's name"))
    return false;
  if (module.find(kernel.name))
    return fail("kernel " + kernel.name + " is declared twice");
  if (consume("(") && !consume(")")) {
    do
      if (!parseParameter(kernel))
        return false;
    while (consume(","));
    if (!expect(")"))
      return false;
  }
  while (!token.is("{"))
    if (!parseKernelDirective(kernel))
      return false;
  if (!parseBody(kernel))
    return false;
  module.kernels.push_back(std::move(kernel));
  return true;
}

/// Parses the initial values of a variable: one number, or at most `count` numbers in braces.
bool Parser::parseInitial(Variable &variable, Type type, uint64_t count) {
  bool inBraces = consume("{");
  for (uint64_t i = 0; !inBraces || !consume("}"); ++i) {
    Operand value;
    if (i == count)
      return fail("variable " + variable.name + " has more initial values than elements");
    if (!parseSigned(value))
      return false;
    if (value.floatBytes && value.floatBytes != type.bytes)
      return fail("an initial value of variable " + variable.name + " is a float of " + Twine(8 * value.floatBytes) +
                  " bits, expected " + Twine(8 * type.bytes) + " bits");
    const char *bytes = reinterpret_cast<const char *>(&value.number);
    std::copy(bytes, bytes + type.bytes, variable.initial.begin() + i * type.bytes);
    if (!inBraces)
      return true;
    if (!token.is("}") && !expect(","))
      return false;
  }
  return true;
}

bool Parser::parseVariable(Space space, bool isExternal, std::vector<Variable> &variables) {
  Variable variable;
  variable.space = space;
  std::optional<Type> type;
  while (token.kind == Token::Word && token.text.starts_with(".")) {
    if (consumeWord(".align")) {
      if (!takeNumber(variable.align, 1024, "an alignment") || !isPowerOf2_64(variable.align))
        return fail("an alignment must be a power of two");
      continue;
    }
    type = parseType(token.text.drop_front());
    if (!type || !type->bytes)
      return fail("a variable cannot have the type '" + token.text + "'");
    advance();
  }
  if (!type)
    return fail("expected a type, found '" + token.text + "'");
  variable.align = std::max<uint64_t>(variable.align, type->bytes);
  unsigned line = token.line;
  if (!takeWord(variable.name, "a variable's name"))
    return false;
  uint64_t count = 1;
  while (consume("[")) {
    uint64_t extent = 0;
    if (token.is("]"))
      variable.isDynamic = true;
    else if (!takeNumber(extent, maxVariableBytes, "an extent"))
      return false;
    if (!expect("]"))
      return false;
    count *= extent;
    if (count > maxVariableBytes)
      return fail("variable " + variable.name + " has more than " + Twine(maxVariableBytes) + " elements");
  }
  if (variable.isDynamic && (!isExternal || space != Space::Shared))
    return fail("a variable without a size must be in shared memory and declared with .extern", line);
  if (isExternal && !variable.isDynamic)
    return fail("variables of other modules, declared with .extern, are not supported: " + variable.name, line);
  variable.size = count * type->bytes;
  variableBytes += variable.size;
  if (variableBytes > maxVariableBytes)
    return fail("variables of more than " + Twine(maxVariableBytes) + " bytes in total are not supported", line);
  if (++variableCount > maxVariables)
    return fail("more than " + Twine(maxVariables) + " variables are not supported", line);
  if (consume("=")) {
    if (space != Space::Global && space != Space::Const)
      return fail("variable " + variable.name + " cannot have initial values: only variables in .global and .const can",
                  line);
    variable.initial.assign(variable.size, 0);
    if (!parseInitial(variable, *type, count))
      return false;
  } else if (space == Space::Global || space == Space::Const) {
    variable.initial.assign(variable.size, 0);
  }
  variables.push_back(std::move(variable));
  return expect(";");
}

bool Parser::parseDirective() {
  if (consumeWord(".file")) { // Skip the line, which contains the number and the name of a file.
    for (unsigned line = token.line; token.line == line && token.kind != Token::End;)
      advance();
    return true;
  }
  bool isExternal = false;
  while (consumeWord(".visible") || consumeWord(".weak") || token.isWord(".extern"))
    isExternal |= consumeWord(".extern");
  if (consumeWord(".entry"))
    return parseKernel();
  if (consumeWord(".shared"))
    return parseVariable(Space::Shared, isExternal, module.variables);
  if (consumeWord(".global"))
    return parseVariable(Space::Global, isExternal, module.variables);
  if (consumeWord(".const"))
    return parseVariable(Space::Const, isExternal, module.variables);
  if (token.isWord(".section")) { // Skip debugging information, which is data in braces.
    if (!skipTo("{"))
      return false;
    return skipTo("}");
  }
  if (token.isWord(".func"))
    return fail("functions (.func) are not supported, only kernels (.entry)");
  return fail("expected a kernel or a variable, found '" + token.text + "'");
}

bool Parser::parseModule() {
  uint64_t number;
  StringRef word;
  if (!consumeWord(".version"))
    return fail("expected .version at the beginning of the PTX");
  // The lexer splits "8.0" into a number and a word that begins with a dot.
  if (!takeNumber(number, 99, "a version") || !takeWord(word, "a version"))
    return false;
  unsigned minor;
  if (!word.consume_front(".") || word.getAsInteger(10, minor) || minor > 9)
    return fail("expected a PTX version such as 8.0, found '" + Twine(number) + word + "'");
  module.version = unsigned(number) * 10 + minor;
  if (!consumeWord(".target"))
    return fail("expected .target, found '" + token.text + "'");
  if (!parseTarget())
    return false;
  if (!consumeWord(".address_size") || !takeNumber(number, 64, "an address size") || number != 64)
    return fail("expected .address_size 64, because only addresses of 64 bits are supported");
  while (token.kind != Token::End)
    if (!parseDirective())
      return false;
  return true;
}

const Kernel *Module::find(StringRef name) const {
  auto found = llvm::find_if(kernels, [&](const Kernel &kernel) { return kernel.name == name; });
  return found == kernels.end() ? nullptr : &*found;
}

Expected<std::unique_ptr<Module>> heddle::ptx::parse(StringRef text) {
  auto module = std::make_unique<Module>();
  module->text = text.str();
  while (!module->text.empty() && !module->text.back()) // A text for the CUDA driver ends with a null character.
    module->text.pop_back();
  Parser parser(*module);
  if (!parser.parseModule())
    return createStringError(parser.error());
  StringMap<std::string> descriptions = readLaunchComments(module->text);
  for (Kernel &kernel : module->kernels)
    kernel.description = descriptions.lookup(kernel.name);
  return module;
}
