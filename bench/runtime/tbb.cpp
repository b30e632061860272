/// oneTBB's parallel_pipeline.

#include <memory>
#include <vector>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>

#include "bench/runtime/peer.hpp"

namespace takt::bench {

std::uint64_t run_tbb(const Case& one) {
  using namespace oneapi::tbb;
  const global_control limit(global_control::max_allowed_parallelism, threads);
  const Frame source(one);
  // A token returns to the source in order, before more than `tokens` are in
  // use: the next frame can reuse its buffers.
  std::vector<std::unique_ptr<Buffers>> pool;
  for (std::size_t i = 0; i < tokens; ++i) pool.push_back(std::make_unique<Buffers>(one));
  std::uint64_t frames = 0;
  const auto end = Clock::now() + one.duration;
  const filter_mode middle = one.is_stateless ? filter_mode::parallel : filter_mode::serial_in_order;
  parallel_pipeline(
      tokens,
      make_filter<void, Buffers*>(filter_mode::serial_in_order, [&](flow_control& control) -> Buffers* {
        if (frames % batch == 0 && Clock::now() >= end) {
          control.stop();
          return nullptr;
        }
        return pool[frames++ % tokens].get();
      }) & make_filter<Buffers*, Buffers*>(filter_mode::parallel, [&](Buffers* each) {
        run_stage(one.work, source.data(), each->a.data(), one.count());
        return each;
      }) & make_filter<Buffers*, Buffers*>(middle, [&](Buffers* each) {
        run_stage(one.work, each->a.data(), each->b.data(), one.count());
        return each;
      }) & make_filter<Buffers*, Buffers*>(filter_mode::parallel, [&](Buffers* each) {
        run_stage(one.work, each->b.data(), each->c.data(), one.count());
        return each;
      }) & make_filter<Buffers*, void>(filter_mode::parallel, [](Buffers*) {}));
  return frames;
}

}  // namespace takt::bench
