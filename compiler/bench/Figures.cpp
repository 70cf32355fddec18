//===- Figures.cpp - the numbers of a report by name ----------------------===//

#include "Figures.h"

using namespace heddle::bench;

Figures heddle::bench::figuresOf(const Table &table, const Row &row) {
  double calls = table.callsPerSecond(row);
  Ratio ratio = table.ratio(row);
  return {{"call_median", row.time.median},
          {"call_p90", row.time.p90},
          {"call_p99", row.time.p99},
          {"call_best", row.time.best},
          {"call_spread", row.time.spread},
          {"calls_per_second", row.callsPerSecond},
          {"call_flops_per_second", table.work.flops * calls},
          {"call_bytes_per_second", table.work.bytes() * calls},
          {"roof_seconds", table.limit.seconds},
          {"call_share_of_roof", table.share(row)},
          {"ratio_to_default", ratio.rounds.median},
          {"ratio_lower_quartile", ratio.rounds.lower},
          {"ratio_upper_quartile", ratio.rounds.upper},
          {"ratio_of_minima", ratio.minima},
          {"rounds", double(row.rounds.seconds.size())},
          {"trusted", table.doubts(row).any() ? 0.0 : 1.0},
          {"code_bytes", double(row.codeSize)},
          {"arena_bytes", double(row.arenaSize)}};
}

Figures heddle::bench::figuresOf(const Table &table, const ProfileRow &row) {
  const KernelInfo &kernel = row.kernel;
  double calls = double(kernel.calls), rate = row.seconds > 0 ? calls / row.seconds : 0;
  double limit = limitOf(table.roof(), kernel.work).seconds;
  return {{"call_median", row.seconds},
          {"calls", calls},
          {"flops_per_second", kernel.work.flops * rate},
          {"bytes_per_second", kernel.work.bytes() * rate},
          {"roof_seconds", limit},
          {"share_of_roof", limit * rate}};
}
