#include "pipeline/costs/thread_group.hpp"

#include <atomic>
#include <barrier>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <thread>

namespace takt::pipeline {

namespace {

/// Shared state of the threads.
struct Meeting {
  explicit Meeting(std::size_t size) : barrier(static_cast<std::ptrdiff_t>(size)), outgoing(size) {}

  std::barrier<> barrier;
  std::atomic<bool> is_broken{false};
  /// By member: the data for each other member.
  std::vector<std::span<const std::span<const std::byte>>> outgoing;
};

/// Thrown to the other members after one has failed.
struct GroupBroken : std::runtime_error {
  GroupBroken() : std::runtime_error("another member of the group failed") {}
};

class ThreadGroup final : public Group {
 public:
  ThreadGroup(Meeting& meeting, std::size_t rank) : meeting_(meeting), rank_(rank) {}

  [[nodiscard]] std::size_t size() const override { return meeting_.outgoing.size(); }
  [[nodiscard]] std::size_t rank() const override { return rank_; }

  void exchange(std::span<const std::span<const std::byte>> outgoing,
                std::span<const std::span<std::byte>> incoming) override {
    meeting_.outgoing[rank_] = outgoing;
    meet();
    for (std::size_t i = 0; i < incoming.size(); ++i) {
      const std::span<const std::byte> piece = meeting_.outgoing[i][rank_];
      if (piece.size() != incoming[i].size()) throw std::logic_error("a block has an unexpected length");
      if (!piece.empty()) std::memmove(incoming[i].data(), piece.data(), piece.size());
    }
    meet();
  }

 private:
  void meet() {
    meeting_.barrier.arrive_and_wait();
    if (meeting_.is_broken) throw GroupBroken();
  }

  Meeting& meeting_;
  std::size_t rank_;
};

}  // namespace

void run_as_group(std::size_t size, const std::function<void(Group&)>& work) {
  Meeting meeting(size);
  std::vector<std::exception_ptr> failures(size);
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      ThreadGroup group(meeting, rank);
      try {
        work(group);
      } catch (const GroupBroken&) {
        // The failed member reports the reason.
      } catch (...) {
        failures[rank] = std::current_exception();
        meeting.is_broken = true;
      }
      meeting.barrier.arrive_and_drop();
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

}  // namespace takt::pipeline
