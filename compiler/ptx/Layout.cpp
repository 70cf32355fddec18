//===- Layout.cpp - assigns rows to registers, offsets to variables -------===//

#include "Decoder.h"
#include "GlobalMemory.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace heddle::ptx;

/// Returns whether `name` is a special register that describes a lane or the launch. All of these registers have 32
/// bits.
static bool isSpecial(StringRef name) {
  auto [base, axis] = name.split('.');
  if (is_contained({"%tid", "%ntid", "%ctaid", "%nctaid"}, base))
    return is_contained({"x", "y", "z"}, axis);
  return is_contained(
      {"%laneid", "%warpid", "%lanemask_eq", "%lanemask_lt", "%lanemask_le", "%lanemask_gt", "%lanemask_ge"}, name);
}

static unsigned elementBytes(Type type) { return type.bytes; }

Row Layout::allocate(Type type) {
  size_t size = type.kind == Type::Predicate ? sizeof(Lanes) : size_t(elementBytes(type)) * warpSize;
  size_t row = alignTo(program.registers.size(), std::min<size_t>(size, 64));
  // Set all bits of a register that has not been written. The value is NaN as a float and a large number as an unsigned
  // integer, so a kernel that reads such a register probably computes a wrong result, which a comparison shows.
  program.registers.resize(row + size, char(0xff));
  return Row(row);
}

Layout::Layout(const Module &module, Program &program) : program(program) {
  for (StringRef name : program.kernel->parameters) {
    (void)name;
    program.parameters.push_back(allocate({Type::Bits, 8}));
  }
  place(module.variables);
  place(program.kernel->variables);
  // The dynamic shared memory of a launch follows the other shared variables. All dynamic variables begin at the same
  // offset, so first align this offset to the largest alignment among them.
  program.sharedBytes = alignTo(program.sharedBytes, 16);
  for (Placed &placed : program.shared)
    if (placed.variable->isDynamic)
      placed.offset = program.sharedBytes = alignTo(program.sharedBytes, placed.variable->align);
  for (Placed &placed : program.shared)
    if (placed.variable->isDynamic)
      placed.offset = program.sharedBytes;
}

void Layout::place(const std::vector<Variable> &variables) {
  for (const Variable &variable : variables) {
    bool isShared = variable.space == Space::Shared, isLocal = variable.space == Space::Local;
    uint64_t &size = isShared ? program.sharedBytes : isLocal ? program.localBytes : program.constantBytes;
    std::vector<Placed> &placed = isShared ? program.shared : isLocal ? program.local : program.constants;
    uint64_t offset = alignTo(size, variable.align);
    placed.push_back({&variable, offset});
    if (!variable.isDynamic)
      size = offset + variable.size;
  }
}

std::optional<Layout::Slot> Layout::find(StringRef name) {
  auto found = slots.find(name);
  if (found != slots.end())
    return found->second;
  Slot slot;
  if (isSpecial(name)) {
    slot = {allocate({Type::Unsigned, 4}), {Type::Unsigned, 4}};
    program.specials[name] = slot.row;
  } else {
    const auto &registers = program.kernel->registers;
    auto declared = registers.find(name);
    if (declared != registers.end() && !declared->second.count) {
      slot.type = declared->second.type;
    } else {
      // A declaration such as "%r<8>" declares the registers %r0 to %r7.
      StringRef family = name.rtrim("0123456789"), digits = name.drop_front(family.size());
      unsigned number;
      declared = registers.find(family);
      if (declared == registers.end() || digits.getAsInteger(10, number) || number >= declared->second.count ||
          (digits.size() > 1 && digits[0] == '0'))
        return std::nullopt;
      slot.type = declared->second.type;
    }
    slot.row = allocate(slot.type);
  }
  slots[name] = slot;
  return slot;
}

Row Layout::constant(uint64_t value, Type type) {
  if (type.kind == Type::Predicate)
    value = value != 0;
  else if (type.bytes < 8)
    value &= (uint64_t(1) << (8 * type.bytes)) - 1;
  auto [entry, isNew] = constants.try_emplace({value, type.kind == Type::Predicate ? 0 : type.bytes}, 0);
  if (!isNew)
    return entry->second;
  Row row = entry->second = allocate(type);
  char *bytes = program.registers.data() + row;
  if (type.kind == Type::Predicate)
    memset(bytes, value ? 0xff : 0, sizeof(Lanes));
  else
    for (unsigned lane = 0; lane < warpSize; ++lane)
      memcpy(bytes + lane * type.bytes, &value, type.bytes);
  return row;
}

Row Layout::sink(Type type) { return allocate(type); }

std::optional<uint64_t> Layout::addressOf(StringRef name, Space &space) const {
  for (const std::vector<Placed> *list : {&program.shared, &program.local, &program.constants})
    for (const Placed &placed : *list)
      if (placed.variable->name == name) {
        space = placed.variable->space;
        bool isGlobal = list == &program.constants;
        return placed.offset + (isGlobal ? uint64_t(program.parameters.size() + 1) << slotBits : 0);
      }
  return std::nullopt;
}

std::optional<Row> Layout::parameter(StringRef name) const {
  const auto &names = program.kernel->parameters;
  auto found = llvm::find(names, name);
  if (found == names.end())
    return std::nullopt;
  return program.parameters[size_t(found - names.begin())];
}

std::optional<unsigned> Layout::label(StringRef name) const {
  auto found = program.kernel->labels.find(name);
  if (found == program.kernel->labels.end())
    return std::nullopt;
  return found->second;
}
