//===- RandomCase.cpp - one random question to heddle verify --------------===//

#include "RandomCase.h"

#include "Random.h"
#include "RandomGraph.h"
#include "RandomOperation.h"
#include "RandomOptions.h"

RandomCase randomCase(uint64_t seed) {
  Random random(seed * 0x9e3779b97f4a7c15 + 1); // neighbours have nothing in common
  RandomCase result;
  result.seed = seed;
  if (random.oneIn(2)) {
    result.kind = "graph";
    result.text = randomGraph(seed);
  } else {
    result.text = randomOperation(seed);
    result.kind = result.text.substr(0, result.text.find(' '));
  }
  addRandomOptions(result, random);
  return result;
}
