#include "tests/schedulers/registry/simgrid_replay.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>

#include <fmt/format.h>
#include <simgrid/s4u.hpp>
#include <sys/wait.h>
#include <unistd.h>

namespace takt::test {

namespace {

namespace s4u = simgrid::s4u;

constexpr int repetitions = 60;

double seconds(Time time) {
  return static_cast<double>(time.count());
}

/// One case, either one iteration with the schedule's first starts or many of them as early as possible.
class Replay {
 public:
  Replay(const ReplayCase& a_case, s4u::NetZone& zone, std::string name, bool repeated)
      : machine_(*a_case.machine),
        schedule_(repeated ? *a_case.repeated : *a_case.schedule),
        name_(std::move(name)),
        repeated_(repeated) {
    const std::size_t count = schedule_.processors.size();
    first_starts_.assign(count, 0);
    last_ends_.assign(count, 0);
    ends_.assign(repetitions, 0);
    for (std::size_t p = 0; p < count; ++p)
      hosts_.push_back(zone.create_host(fmt::format("{}-{}", name_, p), 1e9)->seal());
    add_routes(zone);
    add_network(zone);
    for (std::size_t p = 0; p < count; ++p) add_actor(p);
  }

  [[nodiscard]] const std::vector<double>& first_starts() const { return first_starts_; }
  [[nodiscard]] const std::vector<double>& last_ends() const { return last_ends_; }
  [[nodiscard]] double sustained_period() const {
    return (ends_.back() - ends_[repetitions / 2 - 1]) / (repetitions - repetitions / 2);
  }

 private:
  void add_routes(s4u::NetZone& zone) {
    std::map<std::pair<std::size_t, std::size_t>, bool> known;
    for (const Message& message : schedule_.messages) {
      const std::size_t from = message.from.index(), to = message.to.index();
      if (message.hop_count > 0) continue;
      if (!known.emplace(std::pair(from, to), true).second) continue;
      const logp::Cost::Segment& latency =
          machine_.costs(message.from, message.to).latency.segments().front();
      connect(zone, fmt::format("{}-{}-{}", name_, from, to), hosts_[from], hosts_[to], latency.constant,
              latency.per_byte);
    }
  }

  /// A SimGrid link in one direction.
  static void connect(s4u::NetZone& zone, const std::string& name, s4u::Host* from, s4u::Host* to,
                      double latency, double per_byte) {
    constexpr double unlimited = 1e18;
    s4u::Link* link = zone.create_link(name, per_byte > 0 ? 1 / per_byte : unlimited)
                          ->set_latency(latency)
                          ->set_sharing_policy(s4u::Link::SharingPolicy::FATPIPE)
                          ->seal();
    zone.add_route(from->get_netpoint(), to->get_netpoint(), nullptr, nullptr, {s4u::LinkInRoute(link)},
                   false);
  }

  /// A message on one link in the schedule; when it repeats, at a time between 0 and the period, this many
  /// iterations before its own.
  struct Passage {
    Time start, end;
    std::size_t message, hop;
    int turns;
  };

  void add_network(s4u::NetZone& zone) {
    const Time period = std::max(Time{1}, measure(schedule_).repetition);
    std::map<std::size_t, std::vector<Passage>> passages;
    for (std::size_t m = 0; m < schedule_.messages.size(); ++m) {
      const auto route = schedule_.route(MessageId(m));
      for (std::size_t h = 0; h < route.size(); ++h) {
        const Time::rep turns = repeated_ ? route[h].start / period : 0;
        passages[route[h].link.index()].push_back(
            {route[h].start - turns * period, route[h].end - turns * period, m, h, static_cast<int>(turns)});
      }
      // One for each link of the route, and one for the receiver.
      arrivals_.emplace_back();
      for (std::size_t h = 0; h <= route.size(); ++h) arrivals_[m].push_back(s4u::Semaphore::create(0));
    }
    for (auto& [index, of_link] : passages) {
      std::ranges::sort(of_link, std::less{}, [](const Passage& passage) {
        return std::tuple(passage.start, passage.end, passage.message);
      });
      const Link& link = machine_.platform().network.links[index];
      const std::string name = fmt::format("{}-link{}", name_, index);
      s4u::Host* from = zone.create_host(name + "-from", 1e9)->seal();
      s4u::Host* to = zone.create_host(name + "-to", 1e9)->seal();
      connect(zone, name, from, to, link.latency, link.per_byte);
      s4u::Actor::create(name, from, [this, from, to, order = std::move(of_link)] {
        const int count = repeated_ ? repetitions : 1;
        const int most_turns = std::ranges::max(order, std::less{}, &Passage::turns).turns;
        for (int turn = 0; turn < count + most_turns; ++turn)
          for (const Passage& passage : order) {
            if (turn < passage.turns || turn - passage.turns >= count) continue;
            arrivals_[passage.message][passage.hop]->acquire();
            s4u::Comm::sendto(from, to, schedule_.messages[passage.message].size.count);
            arrivals_[passage.message][passage.hop + 1]->release();
          }
      });
    }
  }

  void add_actor(std::size_t p) {
    const s4u::ActorPtr actor =
        s4u::Actor::create(fmt::format("{}-{}", name_, p), hosts_[p], [this, p] { act(p); });
    for (const Operation& operation : schedule_.processors[p])
      if (operation.kind == OperationKind::receive) mailbox(operation)->set_receiver(actor);
  }

  s4u::Mailbox* mailbox(const Operation& operation) const {
    return s4u::Mailbox::by_name(fmt::format("{}-m{}-i{}", name_, operation.subject, operation.instance));
  }

  void act(std::size_t p) {
    const std::vector<Operation>& operations = schedule_.processors[p];
    if (operations.empty()) return;
    if (!repeated_) s4u::this_actor::sleep_until(seconds(operations.front().start));
    double next_send = 0, next_receive = 0;
    for (int repetition = 0; repetition < (repeated_ ? repetitions : 1); ++repetition) {
      for (std::size_t i = 0; i < operations.size(); ++i) {
        const double start = carry_out(operations[i], next_send, next_receive);
        if (i == 0) first_starts_[p] = start;
      }
      last_ends_[p] = s4u::Engine::get_clock();
      const auto place = static_cast<std::size_t>(repetition);
      ends_[place] = std::max(ends_[place], last_ends_[p]);
    }
  }

  double carry_out(const Operation& operation, double& next_send, double& next_receive) {
    if (operation.kind == OperationKind::compute) {
      const double start = s4u::Engine::get_clock();
      s4u::this_actor::sleep_for(seconds(operation.end - operation.start));
      return start;
    }
    const auto& [from, to, size, first_datum, datum_count, first_hop, hop_count] =
        schedule_.message(operation.message());
    static int content = 0;
    const bool is_routed = hop_count > 0;
    if (operation.kind == OperationKind::receive) {
      if (is_routed)
        arrivals_[operation.subject].back()->acquire();
      else
        mailbox(operation)->get<int>();
    }
    double& next = operation.kind == OperationKind::send ? next_send : next_receive;
    if (next > s4u::Engine::get_clock()) s4u::this_actor::sleep_until(next);
    const double start = s4u::Engine::get_clock();
    if (operation.kind == OperationKind::send) {
      const Time overhead = machine_.send_overhead(from, to, size);
      next = start + seconds(std::max(overhead, machine_.send_gap(from, to, size)));
      s4u::this_actor::sleep_for(seconds(overhead));
      if (is_routed)
        arrivals_[operation.subject].front()->release();
      else
        mailbox(operation)->put_init(&content, size.count)->detach();
    } else {
      const Time overhead = machine_.receive_overhead(from, to, size);
      next = start + seconds(std::max(overhead, machine_.receive_gap(from, to, size)));
      s4u::this_actor::sleep_for(seconds(overhead));
    }
    return start;
  }

  const logp::Machine& machine_;
  const Schedule& schedule_;
  std::string name_;
  bool repeated_;
  std::vector<s4u::Host*> hosts_;
  /// By message, then number of passed links: signals the arrival.
  std::vector<std::vector<s4u::SemaphorePtr>> arrivals_;
  std::vector<double> first_starts_, last_ends_, ends_;
};

/// At most once per process, since SimGrid has one engine.
std::vector<ReplayResult> replay_here(std::span<const ReplayCase> cases) {
  std::vector<std::string> arguments{"replay",
                                     "--log=root.threshold:warning",
                                     "--cfg=network/model:CM02",
                                     "--cfg=network/TCP-gamma:0",
                                     "--cfg=network/crosstraffic:0",
                                     "--cfg=surf/precision:1e-9",
                                     "--cfg=contexts/stack-size:64",
                                     "--cfg=contexts/guard-size:0"};
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  int count = static_cast<int>(pointers.size());
  s4u::Engine engine(&count, pointers.data());

  s4u::NetZone* root = s4u::create_full_zone("root");
  std::vector<std::unique_ptr<Replay>> single, repeated;
  for (std::size_t i = 0; i < cases.size(); ++i)
    for (bool is_repeated : {false, true}) {
      const std::string name = fmt::format("{}{}", is_repeated ? 'r' : 's', i);
      s4u::NetZone* zone = s4u::create_full_zone(name)->set_parent(root);
      (is_repeated ? repeated : single)
          .push_back(std::make_unique<Replay>(cases[i], *zone, name, is_repeated));
      zone->seal();
    }
  root->seal();
  engine.run();

  std::vector<ReplayResult> results;
  for (std::size_t i = 0; i < cases.size(); ++i)
    results.push_back({single[i]->first_starts(), single[i]->last_ends(), repeated[i]->sustained_period()});
  return results;
}

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

void write_values(std::FILE* file, std::span<const double> values) {
  if (std::fwrite(values.data(), sizeof(double), values.size(), file) != values.size())
    throw std::runtime_error("a replay cannot hand over its results");
}

std::vector<double> read_values(std::FILE* file, std::size_t count) {
  std::vector<double> values(count);
  if (std::fread(values.data(), sizeof(double), count, file) != count)
    throw std::runtime_error("a replay ended without results");
  return values;
}

/// In a process of its own.
std::vector<ReplayResult> replay_apart(std::span<const ReplayCase> cases) {
  const File file(std::tmpfile(), std::fclose);
  if (!file) throw std::runtime_error("cannot make a file for the results of a replay");
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("cannot make a process for a replay");
  if (child == 0) {
    for (const ReplayResult& result : replay_here(cases)) {
      write_values(file.get(), result.first_starts);
      write_values(file.get(), result.last_ends);
      write_values(file.get(), std::span(&result.sustained_period, 1));
    }
    std::fflush(file.get());
    ::_exit(0);
  }
  int status = 0;
  if (::waitpid(child, &status, 0) != child || status != 0) throw std::runtime_error("a replay has failed");
  std::rewind(file.get());
  std::vector<ReplayResult> results;
  for (const ReplayCase& each : cases) {
    const std::size_t processors = each.schedule->processors.size();
    ReplayResult& result = results.emplace_back();
    result.first_starts = read_values(file.get(), processors);
    result.last_ends = read_values(file.get(), processors);
    result.sustained_period = read_values(file.get(), 1).front();
  }
  return results;
}

}  // namespace

std::vector<ReplayResult> replay(std::span<const ReplayCase> cases) {
  // SimGrid compares the name of each new host with all existing ones.
  constexpr std::size_t most = 8;
  std::vector<ReplayResult> results;
  for (; !cases.empty(); cases = cases.subspan(std::min(most, cases.size())))
    for (ReplayResult& result : replay_apart(cases.first(std::min(most, cases.size()))))
      results.push_back(std::move(result));
  return results;
}

}  // namespace takt::test
