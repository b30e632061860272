#include "pipeline/engine/monitor.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>
#include <zmq.hpp>

#include "core/clock.hpp"
#include "pipeline/activity.hpp"

namespace takt::pipeline {

namespace {

constexpr std::chrono::milliseconds heartbeat{100};

sigset_t watched_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (int number : {SIGINT, SIGTERM, SIGUSR1}) sigaddset(&signals, number);
  return signals;
}

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

/// The launcher's side is a PULL and a PUB socket at `endpoint` and `endpoint2`, with a space between them.
struct Link {
  explicit Link(const std::string& endpoints)
      : push(context, zmq::socket_type::push), subscriber(context, zmq::socket_type::sub) {
    const std::size_t space = endpoints.find(' ');
    // Long enough for a last message to leave a busy machine, short enough when the launcher is gone.
    push.set(zmq::sockopt::linger, 2000);
    push.connect(endpoints.substr(0, space));
    subscriber.set(zmq::sockopt::linger, 0);
    subscriber.set(zmq::sockopt::subscribe, "");
    subscriber.connect(endpoints.substr(space + 1));
  }

  void send(const std::string& kind, const std::string& text) {
    push.send(zmq::buffer(kind), zmq::send_flags::sndmore);
    push.send(zmq::buffer(text), zmq::send_flags::none);
  }

  /// Whether the launcher asked to drain.
  bool asked_to_drain() {
    zmq::message_t message;
    return subscriber.recv(message, zmq::recv_flags::dontwait).has_value();
  }

  zmq::context_t context;
  zmq::socket_t push;
  zmq::socket_t subscriber;
};

}  // namespace

Monitor::Monitor(int rank, const std::string& endpoint, const Pipeline& pipeline, const RankTally& tally)
    : rank_(rank),
      endpoint_(endpoint),
      pipeline_(pipeline),
      tally_(tally),
      host_(host_name()),
      start_ns_(now_ns()),
      thread_([this] { run(); }) {}

Monitor::~Monitor() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  if (thread_.joinable()) thread_.join();
}

void Monitor::take_over_signals() {
  const sigset_t signals = watched_signals();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

void Monitor::watch(Executor& executor) {
  const std::lock_guard lock(mutex_);
  executor_ = &executor;
  if (asked_to_drain_) executor.drain();
}

void Monitor::send(const std::string& kind, const std::string& text) {
  const std::lock_guard lock(mutex_);
  outbox_.emplace_back(kind, text);
}

RankStatus Monitor::finish() {
  RankStatus last = last_status();
  return stop(std::move(last));
}

RankStatus Monitor::fail(const std::string& reason, std::optional<std::size_t> stage, bool is_config_error) {
  RankStatus last = last_status();
  last.failure = reason;
  last.failed_stage = stage;
  last.is_config_error = is_config_error;
  return stop(std::move(last));
}

RankStatus Monitor::last_status() const {
  RankStatus last = status();
  last.final = true;
  // Sinks count without locks, for the thread that writes: this one.
  for (SinkStatus& sink : last.sinks) sink.counters = executor_->sink(sink.stage)->counters();
  return last;
}

RankStatus Monitor::stop(RankStatus last) {
  {
    // Both at once: no heartbeat may follow the final status.
    const std::lock_guard lock(mutex_);
    outbox_.emplace_back("status", to_text(last));
    stopping_ = true;
  }
  thread_.join();
  const std::lock_guard lock(mutex_);
  executor_ = nullptr;
  return last;
}

RankStatus Monitor::status() const {
  RankStatus status;
  status.rank = rank_;
  status.host = host_;
  status.pid = ::getpid();
  status.elapsed_ns = static_cast<std::uint64_t>(now_ns() - start_ns_);
  status.compute_ns = tally_.compute_ns.value();
  status.overhead_ns = tally_.overhead_ns.value();
  status.wait_ns = tally_.wait_ns.value();
  status.activity = to_string(current_activity());

  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < tally_.stages.size(); ++i) {
    const StageTally& stage = tally_.stages[i];
    if (stage.runs.value() > 0)
      status.stages.push_back({i, stage.runs.value(), stage.total_ns.value(), stage.time.buckets()});
    if (executor_ == nullptr) continue;
    if (const sensors::Source* source = executor_->source(i))
      status.sources.push_back({i, executor_->source_counters(i), source->warnings()});
    if (const sensors::Sink* sink = executor_->sink(i)) {
      const SinkTally& tally = tally_.sinks[i];
      status.sinks.push_back({i, tally.delivered.value(), tally.absorbed.value(), tally.timed.value(),
                              tally.first_ns.value(), tally.last_ns.value(), tally.latency.buckets(),
                              sink->location()});
    }
  }
  return status;
}

void Monitor::run() {
  std::optional<Link> link;
  if (has_launcher()) link.emplace(endpoint_);
  const sigset_t signals = watched_signals();
  // Whether the monitor was to stop when the outbox was emptied.
  auto empty_outbox = [&] {
    decltype(outbox_) outbox;
    bool was_stopping = false;
    {
      const std::lock_guard lock(mutex_);
      outbox.swap(outbox_);
      was_stopping = stopping_;
    }
    if (link)
      for (const auto& [kind, text] : outbox) link->send(kind, text);
    return was_stopping;
  };

  while (true) {
    if (empty_outbox()) return;
    if (link) link->send("status", to_text(status()));

    timespec timeout{0, std::chrono::nanoseconds(heartbeat).count()};
    const int signal = ::sigtimedwait(&signals, nullptr, &timeout);
    if (signal == SIGTERM) {
      RankStatus last = status();
      last.final = true;
      empty_outbox();
      if (link) link->send("status", to_text(last));
      if (!link)
        for (const SinkStatus& sink : last.sinks)
          fmt::print(stderr, "takt: {} frames delivered to '{}' until then\n", sink.delivered,
                     pipeline_.stages[sink.stage].name);
      link.reset();
      ::_exit(1);
    }
    if (signal > 0 || (link && link->asked_to_drain())) {
      const std::lock_guard lock(mutex_);
      asked_to_drain_ = true;
      if (executor_ != nullptr) executor_->drain();
    }
  }
}

}  // namespace takt::pipeline
