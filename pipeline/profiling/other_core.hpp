#pragma once
/// Another rank on the same host, as far as it writes and reads messages.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>

namespace takt::pipeline {

/// A thread on a processor of its own, which goes through memory when it is asked to: its core has the lines
/// then.
class OtherCore {
 public:
  explicit OtherCore(std::size_t processor);
  OtherCore(const OtherCore&) = delete;
  OtherCore& operator=(const OtherCore&) = delete;
  ~OtherCore();

  /// As one that reads a message. Returns when it has done so.
  void read(std::span<std::byte> memory);
  /// As one that writes it; what is there stays there. Returns when it has done so.
  void write(std::span<std::byte> memory);
  /// The same past its caches: nobody has the lines then.
  void write_past_caches(std::span<std::byte> memory);

 private:
  enum class Work : std::uint8_t { none, reading, writing, writing_past_caches, ended };
  void ask(Work work, std::span<std::byte> memory);
  void run(std::size_t processor);

  std::span<std::byte> memory_;
  std::atomic<Work> work_{Work::none};
  std::thread thread_;
};

}  // namespace takt::pipeline
