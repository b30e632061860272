#pragma once
/// Fuzzed readers of input, each with valid input and a function that reads damaged input.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sensors/frames/frame.hpp"
#include "sensors/frames/frame_memory.hpp"
#include "tests/support/program.hpp"

namespace takt::test {

struct KeptFrame;

/// Returns memory for the frames of one queue at a time. It stays, since its page faults would take most of
/// the time of a case.
[[nodiscard]] sensors::FrameMemory kept_frame_memory(std::size_t count, takt::Bytes frame_size);

/// Throws std::logic_error, which no reader may throw, unless the condition holds: the reader has a defect.
void require(bool condition, std::string_view what);

/// Result of reading one input. Any difference changes `result`.
class Reading {
 public:
  explicit Reading(const TemporaryFolder& folder) : folder_(folder) {}

  /// Writes the input to a file and returns its path.
  [[nodiscard]] std::filesystem::path file(const std::string& name, const std::string& bytes) const {
    return folder_.file(name, bytes);
  }
  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return folder_ / name; }

  void note(std::string_view what) { result_ = std::hash<std::string_view>{}(what) ^ (result_ * 31 + 1); }
  void note(std::uint64_t number) { note({reinterpret_cast<const char*>(&number), sizeof number}); }
  /// Requires frames of the size of their type, with no more missing parts than parts.
  void note(const sensors::FrameType& type, const std::vector<KeptFrame>& frames);

  /// Returns 0 when nothing was read.
  [[nodiscard]] std::uint64_t result() const { return result_; }

 private:
  const TemporaryFolder& folder_;
  std::uint64_t result_ = 0;
};

struct FuzzedReader {
  std::string name;
  std::function<std::vector<std::string>()> valid;
  /// Number of first bytes that get two thirds of the damage; 0: the input is text.
  std::size_t head = 0;
  /// Reads the input, or throws ConfigError; for binary input also WorkError.
  std::function<void(Reading& reading, const std::string& bytes)> read;
  /// The test suite tries one of this many mutations, for slow cases.
  int share = 1;
  /// A library (`libhdf5`) that is known to crash on damaged input: takt opens such files in a child process
  /// first, and takt_fuzz counts these crashes. Empty: none.
  std::string crashing_library = {};
  friend void PrintTo(const FuzzedReader& reader, std::ostream* out) { *out << reader.name; }
};

// One table per file.
[[nodiscard]] std::vector<FuzzedReader> packet_readers();
[[nodiscard]] std::vector<FuzzedReader> sample_file_readers();
[[nodiscard]] std::vector<FuzzedReader> stream_readers();
[[nodiscard]] std::vector<FuzzedReader> text_readers();
[[nodiscard]] std::vector<FuzzedReader> pipeline_readers();
[[nodiscard]] std::vector<FuzzedReader> run_readers();
[[nodiscard]] std::vector<FuzzedReader> readers_of(
    std::initializer_list<std::vector<FuzzedReader> (*)()> tables);
/// Returns the readers of the program: of all tables (all_readers.cpp), or of recordings and packets only
/// (recording_readers.cpp).
[[nodiscard]] const std::vector<FuzzedReader>& fuzzed_readers();

enum class FuzzOutcome : std::uint8_t { unchanged, changed, refused };

/// Tests one reader with damaged inputs. Case `i` of a seed is the same in every run.
class Fuzzer {
 public:
  /// Throws std::logic_error when the reader reads nothing from valid input.
  Fuzzer(const FuzzedReader& reader, std::uint64_t seed);

  [[nodiscard]] std::string input(std::uint32_t i) const;
  /// Throws any exception that the reader must not throw.
  [[nodiscard]] FuzzOutcome attempt(std::uint32_t i, const std::string& input) const;

 private:
  [[nodiscard]] std::size_t sample(std::uint32_t i) const { return i % valid_.size(); }

  const FuzzedReader& reader_;
  std::uint64_t seed_;
  TemporaryFolder folder_;
  std::vector<std::string> valid_;
  /// Reading::result of each valid input.
  std::vector<std::uint64_t> expected_;
};

inline std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

}  // namespace takt::test
