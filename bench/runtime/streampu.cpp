/// StreamPU's Pipeline. With a stateless middle, one thread hands out frames and two run the three stages,
/// each on its own frames. With a stateful one, the first two stages run on one thread, the last on another.

#include <atomic>
#include <memory>
#include <string>

#include <streampu.hpp>

#include "bench/runtime/peer.hpp"

namespace takt::bench {

namespace {

/// Returns a module of one task that runs a stage on `in`.
std::unique_ptr<spu::module::Stateless> stage_module(const Case& one, const std::string& name) {
  auto module = std::make_unique<spu::module::Stateless>();
  module->set_name(name);
  spu::runtime::Task& task = module->create_task("stage");
  const std::size_t in = module->create_socket_in<float>(task, "in", one.count());
  const std::size_t out = module->create_socket_out<float>(task, "out", one.count());
  module->create_codelet(task, [in, out, one](spu::module::Module&, spu::runtime::Task& each, std::size_t) {
    run_stage(one.work, each[in].get_dataptr<const float>(), each[out].get_dataptr<float>(), one.count());
    return int{spu::runtime::status_t::SUCCESS};
  });
  return module;
}

}  // namespace

std::uint64_t run_streampu(const Case& one) {
  using namespace spu;
  const Frame frame(one);
  module::Stateless source;
  source.set_name("source");
  runtime::Task& first = source.create_task("hand");
  const std::size_t number = source.create_socket_out<std::uint64_t>(first, "number", 1);
  std::uint64_t handed = 0;
  source.create_codelet(first, [number, &handed](module::Module&, runtime::Task& each, std::size_t) {
    *each[number].get_dataptr<std::uint64_t>() = handed++;
    return int{runtime::status_t::SUCCESS};
  });
  // The first stage reads the source's frame in place, as in the other peers.
  module::Stateless begin;
  begin.set_name("begin");
  runtime::Task& task = begin.create_task("stage");
  begin.create_socket_in<std::uint64_t>(task, "number", 1);
  const std::size_t out = begin.create_socket_out<float>(task, "out", one.count());
  begin.create_codelet(task, [out, &frame, &one](module::Module&, runtime::Task& each, std::size_t) {
    run_stage(one.work, frame.data(), each[out].get_dataptr<float>(), one.count());
    return int{runtime::status_t::SUCCESS};
  });
  const auto middle = stage_module(one, "middle"), last = stage_module(one, "last");
  begin["stage::number"] = source["hand::number"];
  (*middle)["stage::in"] = begin["stage::out"];
  (*last)["stage::in"] = (*middle)["stage::out"];

  using Tasks = std::vector<runtime::Task*>;
  using Stages = std::vector<std::pair<Tasks, Tasks>>;
  runtime::Task* const end_of_first = one.is_stateless ? &source("hand") : &(*middle)("stage");
  runtime::Task* const begin_of_last = one.is_stateless ? &begin("stage") : &(*last)("stage");
  // More busy-waiting threads than cores would take time from the working ones.
  const std::size_t copies = one.is_stateless ? threads : 1;
  runtime::Pipeline pipeline(
      source("hand"),
      Stages{{Tasks{&source("hand")}, Tasks{end_of_first}}, {Tasks{begin_of_last}, Tasks{&(*last)("stage")}}},
      {1, copies}, {tokens}, {!one.is_stateless});
  for (runtime::Sequence* const stage : pipeline.get_stages())
    for (module::Module* const module : stage->get_modules<module::Module>(false))
      for (const auto& each : module->tasks) {
        each->set_fast(true);
        each->set_stats(false);
      }
  std::atomic<std::uint64_t> frames{0};
  std::atomic<bool> is_over{false};
  const auto end = Clock::now() + one.duration;
  pipeline.exec([&] {
    if (++frames % batch == 0 && Clock::now() >= end) is_over = true;
    return is_over.load();
  });
  return frames;
}

}  // namespace takt::bench
