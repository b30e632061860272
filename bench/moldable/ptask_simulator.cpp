#include "bench/moldable/ptask_simulator.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <simgrid/s4u.hpp>

#include "core/graphs/task_groups.hpp"

namespace takt::bench {

namespace {

namespace s4u = simgrid::s4u;

constexpr double tick = 1e-9;
/// Operations per second of a processor of speed 1.
constexpr double unit_speed = 1e9;

std::unique_ptr<s4u::Engine>& the_engine() {
  static std::unique_ptr<s4u::Engine> engine;
  return engine;
}
std::vector<s4u::Host*>& hosts() {
  static std::vector<s4u::Host*> list;
  return list;
}

/// Data from group to group, as flows between hosts.
struct Flows {
  std::vector<s4u::Host*> hosts;
  std::vector<double> bytes;
  double all = 0;
};

Flows flows_between(const std::vector<ProcessorId>& from, const std::vector<ProcessorId>& to, double size) {
  Flows flows;
  std::map<ProcessorId, std::size_t> index;
  for (const auto* group : {&from, &to})
    for (ProcessorId p : *group)
      if (index.try_emplace(p, flows.hosts.size()).second) flows.hosts.push_back(hosts()[p.index()]);
  flows.bytes.assign(flows.hosts.size() * flows.hosts.size(), 0);
  const auto k = static_cast<double>(from.size()), l = static_cast<double>(to.size());
  for (std::size_t i = 0; i < from.size(); ++i)
    for (std::size_t j = 0; j < to.size(); ++j) {
      const double begin = std::max(static_cast<double>(i) / k, static_cast<double>(j) / l);
      const double end = std::min(static_cast<double>(i + 1) / k, static_cast<double>(j + 1) / l);
      if (from[i] == to[j] || end - begin < 1e-12) continue;
      flows.bytes[index[from[i]] * flows.hosts.size() + index[to[j]]] += (end - begin) * size;
      flows.all += (end - begin) * size;
    }
  return flows;
}

}  // namespace

PtaskSimulator::PtaskSimulator(const logp::Machine& machine) : machine_(machine) {
  static int argc = 1;
  static std::string name = "takt";
  static char* argv[] = {name.data(), nullptr};
  the_engine() = std::make_unique<s4u::Engine>(&argc, argv);
  s4u::Engine::set_config("host/model:ptask_L07");
  s4u::Engine::set_config("contexts/stack-size:128");
  build();
}

void PtaskSimulator::build() {
  const Platform& platform = machine_.platform();
  s4u::NetZone* world = s4u::create_full_zone("world");
  const std::size_t count = platform.cluster_count();
  std::vector<s4u::NetZone*> zones(count);
  std::vector<simgrid::kernel::routing::NetPoint*> routers(count);
  std::vector<ProcessorId> first(count), last(count);
  for (std::size_t c = 0; c < count; ++c) {
    zones[c] = s4u::create_star_zone(fmt::format("cluster{}", c))->set_parent(world);
    routers[c] = zones[c]->create_router(fmt::format("router{}", c));
  }
  hosts().assign(platform.processor_count(), nullptr);
  for (std::size_t p = platform.processor_count(); p-- > 0;) {
    const std::uint32_t c = platform.cluster(ProcessorId(p));
    first[c] = ProcessorId(p);
    if (last[c] < ProcessorId(p)) last[c] = ProcessorId(p);
  }
  for (std::size_t p = 0; p < platform.processor_count(); ++p) {
    const std::uint32_t c = platform.cluster(ProcessorId(p));
    // The latency of a link is half of that between two hosts of the cluster.
    const logp::LinkCosts& costs = machine_.costs(first[c], last[c]);
    const double latency = static_cast<double>(costs.latency.at(Bytes{0}).count()) * tick / 2;
    const double bandwidth = 1 / (costs.send_gap.segments().front().per_byte * tick);
    hosts()[p] = zones[c]->create_host(fmt::format("h{}", p), platform.speeds[p] * unit_speed)->seal();
    s4u::Link* out = zones[c]->create_link(fmt::format("out{}", p), bandwidth)->set_latency(latency)->seal();
    s4u::Link* in = zones[c]->create_link(fmt::format("in{}", p), bandwidth)->set_latency(latency)->seal();
    zones[c]->add_route(hosts()[p]->get_netpoint(), nullptr, nullptr, nullptr, {s4u::LinkInRoute(out)},
                        false);
    zones[c]->add_route(nullptr, hosts()[p]->get_netpoint(), nullptr, nullptr, {s4u::LinkInRoute(in)}, false);
  }
  for (s4u::NetZone* zone : zones) zone->seal();
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = 0; b < count; ++b) {
      if (a == b) continue;
      const logp::LinkCosts& costs = machine_.costs(first[a], first[b]);
      const double inner = static_cast<double>((machine_.latency(first[a], last[a], Bytes{0}) +
                                                machine_.latency(first[b], last[b], Bytes{0}))
                                                   .count()) /
                           2;
      const double latency = std::max(0.0, static_cast<double>(costs.latency.at(Bytes{0}).count()) - inner);
      const double shared = costs.backbone.segments().front().per_byte;
      const double per_byte = shared > 0 ? shared : costs.send_gap.segments().front().per_byte / 1000;
      s4u::Link* link = world->create_link(fmt::format("wide{}-{}", a, b), 1 / (per_byte * tick))
                            ->set_latency(latency * tick)
                            ->seal();
      world->add_route(zones[a]->get_netpoint(), zones[b]->get_netpoint(), routers[a], routers[b],
                       {s4u::LinkInRoute(link)}, false);
    }
  world->seal();
}

double PtaskSimulator::makespan(const TaskGraph& graph, const Schedule& schedule) {
  const TaskGroups groups(graph, schedule);
  struct TaskState {
    std::vector<ProcessorId> group;
    std::vector<TaskId> next_on_processors;
    std::size_t waits_for = 0;
    s4u::SemaphorePtr ready = s4u::Semaphore::create(0);
  };
  std::vector<TaskState> states(graph.task_count());
  for (TaskId task : graph.tasks()) {
    states[task.index()].group = groups.group(task);
    states[task.index()].waits_for = graph.in_edges(task).size();
  }
  for (const std::vector<Operation>& operations : schedule.processors) {
    const Operation* before = nullptr;
    for (const Operation& operation : operations) {
      if (operation.kind != OperationKind::compute) continue;
      if (before != nullptr) {
        states[before->subject].next_on_processors.push_back(operation.task());
        ++states[operation.subject].waits_for;
      }
      before = &operation;
    }
  }
  s4u::SemaphorePtr done = s4u::Semaphore::create(0);
  const double start = s4u::Engine::get_clock();
  for (TaskId task : graph.tasks()) {
    s4u::Actor::create(fmt::format("task{}", task.index()), hosts().front(), [&, task] {
      TaskState& state = states[task.index()];
      for (std::size_t i = 0; i < state.waits_for; ++i) state.ready->acquire();
      const double seconds = static_cast<double>(machine_.duration(graph, task, state.group).count()) * tick;
      std::vector<s4u::Host*> group;
      std::vector<double> operations;
      for (ProcessorId p : state.group) {
        group.push_back(hosts()[p.index()]);
        operations.push_back(seconds * hosts()[p.index()]->get_speed());
      }
      s4u::this_actor::parallel_execute(group, operations, {});
      for (TaskId next : state.next_on_processors) states[next.index()].ready->release();
      for (EdgeId id : graph.out_edges(task))
        s4u::Actor::create(fmt::format("edge{}", id.index()), hosts().front(), [&, id] {
          const Edge edge = graph.edge(id);
          const Flows flows = flows_between(states[edge.from.index()].group, states[edge.to.index()].group,
                                            static_cast<double>(edge.size.count));
          if (flows.all > 0)
            s4u::this_actor::parallel_execute(flows.hosts, std::vector<double>(flows.hosts.size(), 0),
                                              flows.bytes);
          states[edge.to.index()].ready->release();
        });
      done->release();
    });
  }
  for (std::size_t i = 0; i < graph.task_count(); ++i) done->acquire();
  const double taken = s4u::Engine::get_clock() - start;
  return taken;
}

void PtaskSimulator::run(const std::function<void()>& experiment) {
  s4u::Actor::create("experiment", hosts().front(), experiment);
  the_engine()->run();
}

}  // namespace takt::bench
