//===- RandomCase.cpp - a random case for heddle verify -------------------===//

#include "RandomCase.h"

#include "Random.h"
#include "RandomGraph.h"
#include "RandomOperation.h"
#include "RandomOptions.h"

RandomCase randomCase(uint64_t seed, const std::string &device) {
  Random random(seed * 0x9e3779b97f4a7c15 + 1); // The factor makes the numbers of adjacent seeds independent.
  RandomCase result;
  result.seed = seed;
  switch (random.below(9)) {
  case 0:
  case 1:
    result.kind = "graph";
    result.text = randomGraph(seed);
    break;
  case 2:
  case 3:
    result.kind = "mixed";
    result.text = mixedGraph(seed, /*numRanges=*/0);
    break;
  case 4:
    result.kind = "mixed-range";
    result.text = mixedGraph(seed, /*numRanges=*/1);
    break;
  case 5:
    result.kind = "mixed-ranges";
    result.text = mixedGraph(seed, /*numRanges=*/2);
    break;
  default:
    result.text = randomOperation(seed);
    result.kind = result.text.substr(0, result.text.find(' '));
  }
  addRandomOptions(result, random, device);
  return result;
}
