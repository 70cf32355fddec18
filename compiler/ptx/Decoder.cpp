//===- Decoder.cpp - helps to decode instructions -------------------------===//

#include "Decoder.h"

#include "Access.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace heddle::ptx;

Decoder::Decoder(Layout &layout, const Statement &statement) : statement(statement), layout(layout) {
  statement.opcode.split(modifiers, '.');
  mnemonic = modifiers.front();
  modifiers.erase(modifiers.begin());
  out.statement = &statement;
}

bool Decoder::fail(const Twine &what) {
  if (error.empty())
    error = ("line " + Twine(statement.line) + ": " + statement.text + ": " + what).str();
  return false;
}

bool Decoder::take(StringRef modifier) {
  auto found = llvm::find(modifiers, modifier);
  if (found == modifiers.end())
    return false;
  modifiers.erase(found);
  return true;
}

std::optional<Type> Decoder::takeType() {
  for (StringRef &modifier : modifiers)
    if (std::optional<Type> type = parseType(modifier)) {
      modifiers.erase(&modifier);
      return type;
    }
  return std::nullopt;
}

std::optional<Type> Decoder::takeLastType() {
  std::optional<Type> type = modifiers.empty() ? std::nullopt : parseType(modifiers.back());
  if (type)
    modifiers.pop_back();
  return type;
}

unsigned Decoder::takeVector() { return take("v2") ? 2 : take("v4") ? 4 : take("v8") ? 8 : 1; }

Space Decoder::takeSpace() {
  static constexpr std::pair<StringLiteral, Space> spaces[] = {
      {"param", Space::Param},   {"param::entry", Space::Param}, {"global", Space::Global},
      {"shared", Space::Shared}, {"shared::cta", Space::Shared}, {"local", Space::Local},
      {"const", Space::Const}};
  for (auto [name, space] : spaces)
    if (take(name))
      return space;
  return Space::Generic;
}

void Decoder::takeCacheHints() {
  erase_if(modifiers, [](StringRef word) {
    return is_contained({"ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc"}, word) || word.starts_with("L1::") ||
           (word.starts_with("L2::") && word != "L2::cache_hint");
  });
}

std::string Decoder::rest() const {
  std::string text = mnemonic.str();
  for (StringRef modifier : modifiers)
    text += "." + modifier.str();
  return text;
}

bool Decoder::expectOperands(size_t minimum, size_t maximum) {
  if (operandCount() >= minimum && operandCount() <= maximum)
    return true;
  return fail("found " + Twine(operandCount()) + (operandCount() == 1 ? " operand" : " operands") + ", expected " +
              Twine(minimum) + (minimum == maximum ? Twine() : " to " + Twine(maximum)));
}

bool Decoder::wrongSize(const Operand &operand, Type registerType, Type type) {
  auto name = [](Type type) {
    return type.kind == Type::Predicate ? std::string("a predicate") : std::to_string(8 * type.bytes) + " bits";
  };
  const char *verb = registerType.kind == Type::Predicate ? " is " : " has ";
  return fail(operand.name + verb + name(registerType) + ", expected " + name(type));
}

static bool isPredicate(Type type) { return type.kind == Type::Predicate; }

bool Decoder::sourceAtLeast(const Operand &operand, Type type, Row &row, Type &registerType) {
  registerType = type;
  switch (operand.kind) {
  case Operand::Register: {
    std::optional<Layout::Slot> slot = layout.find(operand.name);
    if (!slot)
      return fail("there is no register " + operand.name);
    if (operand.negated)
      return fail("'!' is not supported for this operand");
    if (isPredicate(slot->type) != isPredicate(type) || slot->type.bytes < type.bytes)
      return wrongSize(operand, slot->type, type);
    row = slot->row;
    out.sources.push_back(row);
    registerType.bytes = slot->type.bytes;
    return true;
  }
  case Operand::Number: {
    uint64_t value = operand.number;
    if (operand.floatBytes && type.isFloat() && operand.floatBytes != type.bytes)
      return fail("found a float of " + Twine(8 * operand.floatBytes) + " bits, expected " + Twine(8 * type.bytes) +
                  " bits");
    row = layout.constant(value, type);
    return true;
  }
  case Operand::Symbol: {
    Space space;
    std::optional<uint64_t> address = layout.addressOf(operand.name, space);
    if (!address)
      return fail("there is no variable called " + operand.name);
    if (!type.isInteger() || type.bytes < 4 || (type.bytes == 4 && *address >> 32))
      return fail("the address of " + operand.name + " needs a register of 64 bits");
    row = layout.constant(*address, type);
    return true;
  }
  case Operand::Address:
  case Operand::Vector:
    break;
  }
  return fail("expected a register or a number");
}

bool Decoder::source(const Operand &operand, Type type, Row &row) {
  Type registerType;
  if (!sourceAtLeast(operand, type, row, registerType))
    return false;
  return registerType.bytes == type.bytes || wrongSize(operand, registerType, type);
}

bool Decoder::destinationAtLeast(const Operand &operand, Type type, Row &row, Type &registerType) {
  registerType = type;
  if (operand.kind != Operand::Register)
    return fail("expected a register for the result");
  if (operand.name == "_") {
    row = layout.sink(type);
    return true;
  }
  std::optional<Layout::Slot> slot = layout.find(operand.name);
  if (!slot)
    return fail("there is no register " + operand.name);
  if (operand.name.contains('.') || operand.name.starts_with("%lane") || operand.name == "%warpid")
    return fail(operand.name + " cannot be written");
  if (isPredicate(slot->type) != isPredicate(type) || slot->type.bytes < type.bytes)
    return wrongSize(operand, slot->type, type);
  row = slot->row;
  out.results.push_back(row);
  registerType.bytes = slot->type.bytes;
  return true;
}

bool Decoder::destination(const Operand &operand, Type type, Row &row) {
  Type registerType;
  if (!destinationAtLeast(operand, type, row, registerType))
    return false;
  return registerType.bytes == type.bytes || wrongSize(operand, registerType, type);
}

bool Decoder::immediate(size_t index, int64_t &value, int64_t minimum, int64_t maximum) {
  const Operand &number = operand(index);
  if (number.kind != Operand::Number || number.floatBytes)
    return fail("expected a number as operand " + Twine(index + 1));
  value = int64_t(number.number);
  if (value < minimum || value > maximum)
    return fail("operand " + Twine(index + 1) + " is " + Twine(value) + ", but must lie between " + Twine(minimum) +
                " and " + Twine(maximum));
  return true;
}

bool Decoder::address(size_t index, Space space, Row &row, int64_t &offset) {
  const Operand &address = operand(index);
  if (address.kind != Operand::Address)
    return fail("expected an address as operand " + Twine(index + 1));
  row = noRow;
  offset = int64_t(address.number);
  if (address.name.empty())
    return true;
  if (std::optional<Layout::Slot> slot = layout.find(address.name)) {
    bool mayBeNarrow = space != Space::Generic && space != Space::Global;
    if (slot->type.bytes != 8 && (slot->type.bytes != 4 || !mayBeNarrow))
      return fail("expected an address of " + Twine(mayBeNarrow ? "32 or 64" : "64") + " bits, found " + address.name);
    row = slot->row | (slot->type.bytes == 4 ? narrowAddress : 0);
    out.addresses.push_back(slot->row);
    return true;
  }
  Space found;
  std::optional<uint64_t> place = layout.addressOf(address.name, found);
  if (!place)
    return fail("there is no register or variable called " + address.name);
  if (found != space && (space != Space::Generic || found == Space::Shared || found == Space::Local))
    return fail("variable " + address.name + " is not in the state space that the instruction accesses");
  offset += int64_t(*place);
  return true;
}

bool Decoder::parameter(size_t index, Row &row) {
  const Operand &address = operand(index);
  std::optional<Row> found = address.kind == Operand::Address ? layout.parameter(address.name) : std::nullopt;
  if (!found)
    return fail("there is no parameter " + address.name);
  if (address.number)
    return fail("an offset into a parameter is not supported");
  row = *found;
  return true;
}

bool Decoder::target(size_t index, uint32_t &target) {
  std::optional<unsigned> label = layout.label(operand(index).name);
  if (operand(index).kind != Operand::Symbol || !label)
    return fail("there is no label " + operand(index).name);
  target = *label;
  return true;
}

bool Decoder::finish(Execute execute) {
  if (!modifiers.empty())
    return fail("'." + modifiers.front() + "' is not supported for " + mnemonic);
  if (!execute)
    return fail("these types are not supported for " + mnemonic);
  out.execute = execute;
  return true;
}

bool Decoder::finish(Instruction::Control control) {
  out.control = control;
  if (!modifiers.empty())
    return fail("'." + modifiers.front() + "' is not supported for " + mnemonic);
  return true;
}
