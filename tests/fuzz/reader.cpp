#include "tests/fuzz/reader.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "core/error.hpp"
#include "core/random.hpp"
#include "tests/sensors/packets/packet_support.hpp"
#include "tests/support/mutation.hpp"

namespace takt::test {

void require(bool condition, std::string_view what) {
  if (!condition) throw std::logic_error(std::string(what));
}

sensors::FrameMemory kept_frame_memory(std::size_t count, takt::Bytes frame_size) {
  // At its end, so that the sanitizers find writes beyond the last frame.
  static std::vector<std::byte> memory;
  const std::size_t stride = (std::max<std::size_t>(frame_size.count, 1) + 63) / 64 * 64;
  if (memory.size() < count * stride) memory.resize(count * stride);
  return {sensors::FramePool{.memory = std::span(memory).last(count * stride), .stride = stride}, frame_size};
}

void Reading::note(const sensors::FrameType& type, const std::vector<KeptFrame>& frames) {
  for (const KeptFrame& frame : frames) {
    require(frame.bytes.size() == type.size().count, "a frame has another size than its type");
    require(frame.header.missing_parts <= frame.header.parts, "more parts are missing than a frame has");
    note(static_cast<std::uint64_t>(frame.header.utc_ns));
    note({reinterpret_cast<const char*>(frame.bytes.data()), frame.bytes.size()});
  }
}

std::vector<FuzzedReader> readers_of(std::initializer_list<std::vector<FuzzedReader> (*)()> tables) {
  std::vector<FuzzedReader> readers;
  for (const auto& table : tables) std::ranges::move(table(), std::back_inserter(readers));
  return readers;
}

Fuzzer::Fuzzer(const FuzzedReader& reader, std::uint64_t seed)
    : reader_(reader), seed_(seed), valid_(reader.valid()) {
  for (const std::string& bytes : valid_) {
    Reading reading(folder_);
    reader_.read(reading, bytes);
    require(reading.result() != 0, reader_.name + " reads nothing of valid input");
    expected_.push_back(reading.result());
  }
}

std::string Fuzzer::input(std::uint32_t i) const {
  Random random(seed_, i);
  const std::string& whole = valid_[sample(i)];
  const bool is_text = reader_.head == 0 || random.below(2) == 0;
  return is_text ? mutated(whole, random) : mutated_bytes(whole, reader_.head, random);
}

FuzzOutcome Fuzzer::attempt(std::uint32_t i, const std::string& input) const {
  Reading reading(folder_);
  try {
    reader_.read(reading, input);
  } catch (const ConfigError& error) {
    require(*error.what() != '\0', "an error without a message");
    return FuzzOutcome::refused;
  } catch (const WorkError& error) {
    // The user writes texts, so their errors are ConfigErrors.
    if (reader_.head == 0) throw;
    require(*error.what() != '\0', "an error without a message");
    return FuzzOutcome::refused;
  }
  return reading.result() == expected_[sample(i)] ? FuzzOutcome::unchanged : FuzzOutcome::changed;
}

}  // namespace takt::test
