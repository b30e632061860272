#include "pipeline/sustain/emulated_senders.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "core/system/clock.hpp"
#include "core/system/own_program.hpp"
#include "pipeline/launch/jobs/network_address.hpp"
#include "pipeline/launch/jobs/ranks_command.hpp"
#include "pipeline/launch/jobs/slurm.hpp"
#include "sensors/emulator/emulator.hpp"

namespace takt::pipeline {

namespace {

/// Returns the host of a rank: mpirun fills this computer first. Nothing if a batch system decides.
std::optional<std::string> host_of_rank(const Site& site, std::size_t rank) {
  if (is_on_this_host(site)) return "localhost";
  std::vector<HostSlots> hosts = site.hosts;
  std::ranges::stable_partition(hosts, names_this_host, &HostSlots::name);
  for (const HostSlots& host : hosts) {
    if (rank < host.slots) return host.name;
    rank -= host.slots;
  }
  return std::nullopt;
}

/// Returns the address at which the other host reaches this computer.
std::string own_address(const std::string& other) {
  const auto address = address_towards(other);
  if (!address) throw ConfigError(fmt::format("no route from this computer to host '{}'", other));
  return *address;
}

SenderPlace place_of(const std::string& source_host, const std::string& sender_host) {
  const bool has_source = names_this_host(source_host), has_sender = names_this_host(sender_host);
  if ((has_source && has_sender) || source_host == sender_host) return {};
  return {.of_source = has_source ? own_address(sender_host) : source_host,
          .of_sender = has_sender ? own_address(source_host) : sender_host};
}

std::string output_of(ChildProcess& process) {
  return fmt::format("{}", fmt::join(process.read_lines(), " "));
}

/// Waits until it reports that it is sending.
void wait_for(ChildProcess& process) {
  constexpr std::chrono::seconds patience{20};
  const std::int64_t latest = now_ns() + std::chrono::nanoseconds(patience).count();
  std::string said;
  while (now_ns() < latest) {
    const bool has_ended = process.ended().has_value();
    for (const std::string& line : process.read_lines()) {
      if (line.starts_with("sending ")) return;
      said += (said.empty() ? "" : " ") + line;
    }
    if (has_ended)
      throw WorkError(fmt::format("the emulated sender does not start: it {}{}{}", end_text(*process.ended()),
                                  said.empty() ? "" : ": ", said));
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
  throw WorkError(fmt::format("the emulated sender does not start within {} s: {}", patience.count(), said));
}

}  // namespace

EmulatedSenders::EmulatedSenders(const Pipeline& pipeline, const RunPlan& plan,
                                 const std::optional<std::string>& host) {
  const Site& site = pipeline.deployment.site;
  site_.starter = site.starter;
  site_.network = site.network;
  if (host && !names_this_host(*host)) site_.hosts.push_back({.name = *host, .slots = 1});
  for (const std::size_t index : pipeline.sources()) {
    const Stage& source = pipeline.stages[index];
    const SourceKind& kind = *pipeline.kernels.find_source(source.type);
    if (!can_serve(source, kind)) continue;
    const std::vector<std::size_t>& ranks = plan.stages.at(index).ranks;
    const auto source_host = host_of_rank(site, ranks.empty() ? 0 : ranks.front());
    if (!source_host)
      throw ConfigError(
          source.where,
          fmt::format("source '{}': its host is not known in advance under the batch system, but an emulated "
                      "sender needs it: expected 'deployment: {{hosts: [...]}}'",
                      source.name));
    const SenderPlace place = place_of(*source_host, host.value_or("localhost"));
    senders_.push_back(
        {index, source.name, source.where, kind.sender(source.parameters, place), source.output.rate_hz});
  }
  if (host && senders_.empty())
    throw ConfigError(fmt::format("no source of '{}' needs an emulated sender: remove --emulator-host '{}'",
                                  pipeline.name, *host));
}

bool EmulatedSenders::can_serve(const Stage& source, const SourceKind& kind) {
  return !kind.sender(source.parameters, {}).arguments.empty();
}

bool EmulatedSenders::are_held_up() const {
  return std::ranges::any_of(senders_, [](const Sender& sender) { return sender.how.is_held_up; });
}

ParameterValues EmulatedSenders::settings_of(std::size_t source) const {
  const auto found = std::ranges::find(senders_, source, &Sender::source);
  return found == senders_.end() ? ParameterValues{} : found->how.settings;
}

EmulatedSenders::Work EmulatedSenders::start(double hertz) const {
  Work work;
  if (!site_.hosts.empty()) work.folder_ = std::make_unique<RunFolder>();
  const auto second =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch());
  for (const Sender& sender : senders_) {
    const double speed = hertz / sender.rate_hz;
    if (speed < sensors::EmulatorOptions::least_speed || speed > sensors::EmulatorOptions::most_speed)
      throw ConfigError(sender.where,
                        fmt::format("source '{}': its rate of {} is too far from the {} of a trial: an "
                                    "emulated sender can run at {} to {} times that rate",
                                    sender.name, takt::to_string(Frequency{sender.rate_hz}),
                                    takt::to_string(Frequency{hertz}), sensors::EmulatorOptions::least_speed,
                                    sensors::EmulatorOptions::most_speed));
    std::vector<std::string> words{own_program()};
    words.insert(words.end(), sender.how.arguments.begin(), sender.how.arguments.end());
    // It outlasts the trial; the source misses its first packets.
    words.insert(words.end(),
                 {"--speed", fmt::format("{}", speed), "--second", fmt::format("{}", second.count())});
    Variables environment;
    if (!site_.hosts.empty()) {
      const RanksCommand command{.site = site_, .ranks = 1, .command = words};
      words = words_of(command);
      environment = environment_of(command, *work.folder_);
    }
    work.processes_.push_back(std::make_unique<ChildProcess>(words, environment));
  }
  for (const auto& process : work.processes_) wait_for(*process);
  return work;
}

EmulatedSenders::Work::~Work() {
  // In the reverse order of their start.
  while (!processes_.empty()) processes_.pop_back();
}

bool EmulatedSenders::Work::has_given_up() {
  return std::ranges::any_of(processes_,
                             [](const auto& process) { return process->ended().value_or(0) != 0; });
}

void EmulatedSenders::Work::expect_to_last() {
  for (const auto& process : processes_) {
    const std::optional<int> status = process->ended();
    if (status.value_or(0) == 0) continue;
    const std::string said = output_of(*process);
    throw WorkError(fmt::format("the emulated sender of the trial {}{}{}", end_text(*status),
                                said.empty() ? "" : ": ", said));
  }
}

}  // namespace takt::pipeline
