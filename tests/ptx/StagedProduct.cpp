#include "StagedProduct.h"

#include "ptx/Rounding.h"

#include <cmath>

using namespace heddle::ptx;

StagedProduct::StagedProduct(unsigned rows, unsigned columns, unsigned depth, bool half)
    : rows(rows), columns(columns), depth(depth), expected(size_t(rows) * columns) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> values(-1, 1);
  auto fill = [&](std::vector<uint16_t> &matrix, size_t count) {
    for (size_t i = 0; i < count; ++i)
      matrix.push_back(half ? toHalf(values(random)) : toBFloat(values(random)));
  };
  fill(a, size_t(rows) * depth);
  fill(b, size_t(depth) * columns);
  auto widen = [&](uint16_t bits) { return double(half ? fromHalf(bits) : fromBFloat(bits)); };
  for (unsigned i = 0; i < rows; ++i)
    for (unsigned k = 0; k < depth; ++k)
      for (unsigned j = 0; j < columns; ++j)
        expected[i * columns + j] += widen(a[i * depth + k]) * widen(b[k * columns + j]);
}

std::string StagedProduct::run(const std::string &text, Counters *counters, unsigned shorter) {
  std::vector<uint16_t> cut(b.begin(), b.end() - shorter / 2);
  Buffer first(a), second(cut), out(size_t(rows) * columns * 4), sizes(std::vector<uint32_t>{depth, columns});
  std::string error =
      execute(text, {&first, &second, &out, &sizes}, {{columns / 32, rows / 32, 1}, {128, 1, 1}, 3 * 4096, counters});
  result = out.values<float>();
  return error;
}

double StagedProduct::worstError() const {
  double worst = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    double error = std::fabs(result[i] - expected[i]);
    worst = std::isnan(worst) || error <= worst ? worst : error; // A NaN remains.
  }
  return worst;
}
