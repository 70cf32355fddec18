//===- Joins.cpp - where divergent lanes reconverge -----------------------===//

#include "Program.h"

#include "llvm/ADT/STLExtras.h"

using namespace heddle::ptx;

namespace {

/// The control flow graph of a kernel's basic blocks. The last block is empty, and is the successor of all exits.
struct Graph {
  std::vector<uint32_t> begins;                    // for each block, the index of its first instruction
  std::vector<std::vector<uint32_t>> next, before; // for each block, its successors and its predecessors

  explicit Graph(const std::vector<Instruction> &code);
};

} // namespace

Graph::Graph(const std::vector<Instruction> &code) {
  size_t count = code.size();
  std::vector<bool> leads(count + 1, false); // whether an instruction is the first one of a block
  leads[0] = true;
  for (size_t i = 0; i < count; ++i) {
    if (code[i].control == Instruction::Branch)
      leads[code[i].target] = true;
    if (code[i].control == Instruction::Branch || code[i].control == Instruction::Exit)
      leads[i + 1] = true;
  }
  std::vector<uint32_t> blockOf(count);
  for (size_t i = 0; i < count; ++i) {
    if (leads[i])
      begins.push_back(uint32_t(i));
    blockOf[i] = uint32_t(begins.size() - 1);
  }
  uint32_t end = uint32_t(begins.size());
  begins.push_back(uint32_t(count));
  next.resize(end + 1);
  before.resize(end + 1);
  for (uint32_t block = 0; block < end; ++block) {
    const Instruction &last = code[begins[block + 1] - 1];
    if (last.control == Instruction::Branch)
      next[block].push_back(blockOf[last.target]);
    if (last.control == Instruction::Exit)
      next[block].push_back(end);
    bool goesOn = last.predicate != noRow || (last.control != Instruction::Branch && last.control != Instruction::Exit);
    if (goesOn)
      next[block].push_back(block + 1);
    for (uint32_t follower : next[block])
      before[follower].push_back(block);
  }
}

/// Returns the immediate post-dominator of each block: the nearest block that is on all paths from the block to the
/// end. Uses the algorithm of Cooper, Harvey and Kennedy (A Simple, Fast Dominance Algorithm) on the reversed graph.
/// The result is UINT32_MAX for a block that does not reach the end.
static std::vector<uint32_t> findPostDominators(const Graph &graph) {
  uint32_t end = uint32_t(graph.next.size() - 1), counted = 0;
  // The blocks in postorder of the reversed graph, and the position of each block in this order.
  std::vector<uint32_t> order, number(end + 1, UINT32_MAX), dominator(end + 1, UINT32_MAX);
  std::vector<bool> seen(end + 1, false);
  std::vector<std::pair<uint32_t, size_t>> stack = {{end, 0}};
  seen[end] = true;
  while (!stack.empty()) {
    auto &[block, index] = stack.back();
    if (index == graph.before[block].size()) {
      number[block] = counted++;
      order.push_back(block);
      stack.pop_back();
      continue;
    }
    uint32_t earlier = graph.before[block][index++];
    if (!seen[earlier]) {
      seen[earlier] = true;
      stack.push_back({earlier, 0});
    }
  }
  dominator[end] = end;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t block : llvm::reverse(order)) {
      if (block == end)
        continue;
      uint32_t found = UINT32_MAX;
      for (uint32_t follower : graph.next[block]) {
        if (dominator[follower] == UINT32_MAX)
          continue;
        uint32_t other = follower;
        // Find the nearest common post-dominator of `found` and the successor.
        for (found = found == UINT32_MAX ? other : found; found != other;)
          (number[found] < number[other] ? found : other) = dominator[number[found] < number[other] ? found : other];
      }
      changed |= dominator[block] != found;
      dominator[block] = found;
    }
  }
  return dominator;
}

void heddle::ptx::findJoins(std::vector<Instruction> &code) {
  Graph graph(code);
  std::vector<uint32_t> dominator = findPostDominators(graph);
  uint32_t end = uint32_t(graph.next.size() - 1);
  for (uint32_t block = 0; block < end; ++block)
    if (dominator[block] < end)
      code[graph.begins[block + 1] - 1].join = graph.begins[dominator[block]];
}
