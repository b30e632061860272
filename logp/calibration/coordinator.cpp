#include "logp/calibration/coordinator.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace takt::logp {

namespace {

constexpr int command_tag = 1;
constexpr int reply_tag = 2;

using Words = std::vector<std::uint64_t>;

/// Waits for a message; first by polling, then with increasing naps.
Words receive_words(int source, int tag, MPI_Comm communicator) {
  constexpr int eager_attempts = 2000;
  constexpr std::chrono::microseconds first_nap{20}, longest_nap{5000};
  std::chrono::microseconds nap = first_nap;
  MPI_Status status;
  int found = 0;
  for (int attempt = 0; found == 0; ++attempt) {
    MPI_Iprobe(source, tag, communicator, &found, &status);
    if (found != 0 || attempt < eager_attempts) continue;
    std::this_thread::sleep_for(nap);
    nap = std::min(nap * 5 / 4, longest_nap);
  }
  int count = 0;
  MPI_Get_count(&status, MPI_UINT64_T, &count);
  Words words(static_cast<std::size_t>(count));
  MPI_Recv(words.data(), count, MPI_UINT64_T, source, tag, communicator, MPI_STATUS_IGNORE);
  return words;
}

void send_words(const Words& words, int destination, int tag, MPI_Comm communicator) {
  MPI_Send(words.data(), static_cast<int>(words.size()), MPI_UINT64_T, destination, tag, communicator);
}

}  // namespace

Coordinator::Coordinator(MPI_Comm communicator, Performer& performer, bool rests)
    : communicator_(communicator), performer_(performer), rests_(rests) {}

Coordinator::~Coordinator() {
  int size = 0;
  MPI_Comm_size(communicator_, &size);
  for (int rank = 1; rank < size; ++rank) send_words(encode(Command{}), rank, command_tag, communicator_);
}

Observed Coordinator::coordinate(const Command& command) {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<Reply> replies = replies_to(command);
  if (rests_) std::this_thread::sleep_for(std::chrono::steady_clock::now() - start);
  Observed observed;
  auto append = [](std::vector<double>& to, const std::vector<double>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  for (std::uint64_t i = 0; i < command.repeats; ++i) {
    const bool is_quiet = std::all_of(replies.begin(), replies.end(),
                                      [&](const Reply& reply) { return reply[i].switches == 0; });
    auto side = is_quiet ? &Visit::quiet : &Visit::disturbed;
    for (const Reply& reply : replies) {
      append(observed.times.*side, reply[i].times);
      append(observed.other_times.*side, reply[i].other_times);
    }
  }
  return observed;
}

std::vector<Reply> Coordinator::replies_to(const Command& command) {
  const Words words = encode(command);
  for (const int rank : command.ranks)
    if (rank != 0) send_words(words, rank, command_tag, communicator_);
  std::vector<Reply> replies(command.ranks.size());
  for (std::size_t i = 0; i < replies.size(); ++i)
    if (command.ranks[i] == 0) replies[i] = performer_.perform(command);
  for (std::size_t i = 0; i < replies.size(); ++i)
    if (command.ranks[i] != 0)
      replies[i] = decode_reply(receive_words(command.ranks[i], reply_tag, communicator_));
  return replies;
}

void follow(MPI_Comm communicator, Performer& performer) {
  while (true) {
    const Command command = decode_command(receive_words(0, command_tag, communicator));
    if (command.action == Action::stop) return;
    send_words(encode(performer.perform(command)), 0, reply_tag, communicator);
  }
}

}  // namespace takt::logp
