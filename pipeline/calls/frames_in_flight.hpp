#pragma once
/// Runs an asynchronous kernel as one whose output follows its input by `depth` frames.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "pipeline/kernel.hpp"
#include "sensors/frames/frame_memory.hpp"

namespace takt::pipeline {

/// Keeps a ring of `depth` places, each with copies of the inputs and memory of the output. A call takes the
/// output of the oldest frame from its place, waits for it if it must, and starts the new frame there. So the
/// rank, the device and the frames' order depend on no clock, and a frame costs the rank one copy of its
/// inputs and of its output.
///
/// `finish` passes on what is left. `save` holds the outputs that are left, once all are complete, and the
/// kernel's own state.
class FramesInFlight final : public Kernel {
 public:
  /// Makes a configured kernel of the kind with these parameters.
  using Maker = std::function<std::unique_ptr<AsynchronousKernel>(const Parameters& parameters)>;

  /// `kernel` is configured for these inputs and this output; `is_stateless`: it keeps nothing between
  /// frames. `maker` makes the kernel that replaces one which does not support a change.
  FramesInFlight(std::unique_ptr<AsynchronousKernel> kernel, std::span<const FrameType> inputs,
                 FrameType output, bool is_stateless, Maker maker);
  FramesInFlight(const FramesInFlight&) = delete;
  FramesInFlight& operator=(const FramesInFlight&) = delete;
  /// Destroys the kernel, which waits for its threads, before their memory.
  ~FramesInFlight() override { kernel_.reset(); }

  FrameType configure(std::span<const FrameType>) override { return type_; }
  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override;
  Outcome finish(const FrameBuffer& output) override;
  bool change(const Parameters& parameters) override;
  [[nodiscard]] std::optional<std::vector<std::byte>> save() const override;
  void load(std::span<const std::byte> state) override;

  /// Returns whether the next call of `process` (of `finish`, if there is no input) waits for no frame;
  /// polls.
  [[nodiscard]] bool is_ready(bool has_input) const;
  /// Sleeps until it may be ready, at most until this moment (now_ns).
  void sleep(std::int64_t latest_ns) const;
  /// Waits until all frames are complete.
  void wait_for_all() const;
  /// Returns the time from the start to the end of the frame that was passed on last.
  [[nodiscard]] std::int64_t last_duration_ns() const { return last_duration_ns_; }

 private:
  struct Place {
    std::vector<FrameHeader> headers;
    std::vector<sensors::FrameMemory> memories;
    std::vector<FrameView> inputs;
    FrameHeader header;
    std::optional<sensors::FrameMemory> memory;
    FrameBuffer output;
    Completion completion;
  };

  [[nodiscard]] Place& oldest() const { return *places_[first_]; }
  void wait_for(Place& place) const;
  /// Passes the oldest frame on.
  Outcome give(const FrameBuffer& output);
  void start(std::span<const FrameView> inputs);

  std::unique_ptr<AsynchronousKernel> kernel_;
  FrameType type_;
  bool is_stateless_;
  Maker maker_;
  std::vector<std::unique_ptr<Place>> places_;
  /// The frames under way, or complete and not passed on, are at `first_` and the `count_` - 1 places after
  /// it.
  std::size_t first_ = 0, count_ = 0;
  std::int64_t last_duration_ns_ = 0;
};

/// Returns the frames in flight of a kernel of the runtime; null if it is not asynchronous.
[[nodiscard]] inline FramesInFlight* frames_in_flight(Kernel& kernel) {
  return dynamic_cast<FramesInFlight*>(&kernel);
}

}  // namespace takt::pipeline
