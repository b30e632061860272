#pragma once
/// A transient buffer: a sink that keeps the last frames in memory and writes those around a
/// trigger.

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "sensors/frames/frame_memory.hpp"
#include "sensors/sink.hpp"

namespace takt::sensors {

struct TransientOptions {
  /// The time kept from before the trigger, and from after it.
  Time before{0};
  Time after{0};
};

/// Throws ConfigError for frames without a rate, or more frames than can be numbered.
void validate(const TransientOptions& options, const FrameType& type);
/// Returns the memory for the kept frames.
[[nodiscard]] Bytes memory_of(const TransientOptions& options, const FrameType& type);

/// The frames of the last `before` are in memory; older ones are discarded. Written frames keep their times.
/// Each dump is an epoch of its own, numbered from 0, so that sinks begin a new file with it; triggers whose
/// intervals meet form one dump.
class TransientSink final : public Sink {
 public:
  TransientSink(std::unique_ptr<Sink> sink, const FrameType& type, const TransientOptions& options);

  void open() override { sink_->open(); }
  void write(const FrameView& frame) override;
  void close() override;
  void trigger(const std::optional<UtcSpan>& when) override;
  void note(const std::string& line) override { sink_->note(line); }
  void begin_file() override { sink_->begin_file(); }
  /// Excludes the frames in memory, which then count as forgotten; a dump in progress continues.
  [[nodiscard]] std::optional<std::vector<std::byte>> save() const override;
  void resume(std::span<const std::byte> state) override;
  void use_output_book(const OutputBook& book) override { sink_->use_output_book(book); }
  [[nodiscard]] std::string location() const override { return sink_->location(); }
  [[nodiscard]] std::vector<Counter> counters() const override;
  [[nodiscard]] std::vector<std::string> warnings() const override { return sink_->warnings(); }

 private:
  struct Kept {
    FrameHeader header;
    std::size_t slot = 0;
  };
  void follow_triggers(const FrameHeader* newest);
  void begin_dump(std::int64_t from_ns, std::int64_t until_ns);
  void dump(FrameHeader header, std::span<const std::byte> bytes);
  void remember(const FrameView& frame);

  std::unique_ptr<Sink> sink_;
  const TransientOptions options_;
  const std::int64_t frame_ns_;
  const std::size_t capacity_;
  FrameMemory memory_;
  /// Oldest first.
  std::deque<Kept> kept_;
  std::size_t next_slot_ = 0;

  mutable std::mutex mutex_;
  std::vector<std::optional<UtcSpan>> triggers_;

  /// Frames that begin before this time are written.
  std::optional<std::int64_t> until_ns_;
  std::uint64_t dumps_ = 0, written_ = 0, forgotten_ = 0;
  /// For the dump in progress: the header of its first frame, and its number.
  std::optional<FrameHeader> first_;
  std::uint16_t epoch_ = 0;
};

}  // namespace takt::sensors
