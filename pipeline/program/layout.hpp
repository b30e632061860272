#pragma once
/// Assigns memory to a rank's outputs.

#include <cstddef>
#include <optional>
#include <vector>

#include "pipeline/program/program.hpp"
#include "pipeline/program/reordering.hpp"

namespace takt::pipeline {

/// Place of a stage's output for one instance: in the next message of a channel, so that sending needs no
/// copy, or in the rank's own memory.
struct Home {
  /// Index of a channel of `sends`, and of the part in it.
  std::optional<std::size_t> channel;
  std::size_t part = 0;
  /// True if a kernel writes it there for a rank that shares memory, and it is so large that a copy from
  /// elsewhere may be faster (runtime/output_placement.hpp).
  bool may_be_copied = false;
  /// True if its tiles are copied there (tiles/tiled_run.hpp) in whole cache lines, so that non-temporal
  /// stores are possible.
  bool may_pass_caches = false;
  /// Otherwise an index of Layout::places.
  std::size_t place = 0;
};

/// Layout of the messages of one channel of `sends`.
struct MessageLayout {
  /// By part, the offset of its elements in a message; nothing if the message refers to them elsewhere: in a
  /// source's memory, or in another channel's message.
  std::vector<std::optional<std::size_t>> elements;
  std::size_t bytes = 0;
  /// Other channels whose messages refer to elements in these.
  std::vector<std::size_t> referring;
};

/// Pure data, like the program from which it is made.
struct Layout {
  /// By phase, instance and stage; nothing if the rank does not make this output, or a source lends its own.
  /// Phases are copies of the same outputs (RankProgram::phases), and differ in their places only.
  std::vector<std::optional<Home>> homes;
  /// By channel of `sends`.
  std::vector<MessageLayout> messages;
  /// By instance, then by stage: channels that refer to frames in a source's memory.
  std::vector<std::vector<std::size_t>> referring;
  /// By instance, then by stage: the last local step that reads a frame lent by a source, counted from the
  /// beginning of the iteration that takes the frame; otherwise 0.
  std::vector<std::size_t> read_until;
  /// Places for outputs that stay on the rank, reused after their lifetimes (shared_places.hpp), each as
  /// large as the pipeline's largest frame and its canary (canary.hpp).
  std::size_t places = 0;
  Bytes place_size;

  /// Returns true if any output may be copied; the rank then needs one more place.
  [[nodiscard]] bool may_copy() const;
};

/// Properties of a rank's neighbours and sources.
struct Neighbourhood {
  /// By channel of `sends`, true if its receiver shares memory with this rank.
  std::vector<bool> is_shared;
  /// By stage, true for a source that lends as many frames as its memory can hold.
  std::vector<bool> lends_many;
};

[[nodiscard]] Layout lay_out(const Pipeline& pipeline, const RankProgram& program,
                             const Neighbourhood& neighbourhood);

/// Returns the largest number of frames of an iteration that a source lends at a time, if each is returned
/// after its last reader, in order, before the next one is taken; for sources whose frames no other rank
/// reads in place. One reused buffer stays in the caches; several do not.
[[nodiscard]] std::size_t most_lent(const RankProgram& program, const Layout& layout, std::size_t stage,
                                    std::size_t stages);

/// Returns true if a source's frame is copied, because several are in use together and the source lends one:
/// those of an iteration, or of several.
[[nodiscard]] bool keeps_frames(const Pipeline& pipeline, const RankProgram& program,
                                const Neighbourhood& neighbourhood, std::size_t stage);

/// Returns the number of messages of one channel that may be queued between two ranks of one node: the user's
/// value, or as many as fit the second-level cache together with the channels of the iteration's other
/// frames. At most 64, because messages are read from the cache of the sender's core while they are in it; at
/// least 4, or 2 for iterations of several frames.
[[nodiscard]] std::size_t ring_depth(const Deployment& deployment, std::size_t message_bytes,
                                     std::uint32_t instances);
/// Returns the same for a channel, but at least its least depth. It is deeper if most messages carry no
/// frame, because they are downstream of a decimation, so that as many frames can be queued; at most 4096
/// messages and 16 MiB, unless the user sets it.
[[nodiscard]] std::size_t ring_depth(const Pipeline& pipeline, const ChannelPlan& channel,
                                     std::uint32_t instances);
/// The same between two nodes, at each end.
[[nodiscard]] std::size_t window_depth(const Deployment& deployment, const ChannelPlan& channel);
/// The same without regard to the channel.
[[nodiscard]] std::size_t window_depth(const Deployment& deployment);

/// Returns the number of a reordering rank's own frames whose outputs for `rest` are stored until their place
/// in the order.
[[nodiscard]] std::size_t early_frames(const Pipeline& pipeline, const ReorderProgram& reordering);
/// Returns the memory for them.
[[nodiscard]] Bytes early_memory(const Pipeline& pipeline, const ReorderProgram& reordering);

/// Returns the memory of a source's or sink's backlog, of a sink's transient buffer, and of frames under way.
[[nodiscard]] Bytes extra_memory(const Stage& stage);

/// Returns the rank's memory for frames. It is the larger of two cases: all ranks on one node (its places,
/// one more if outputs may be copied, and its rings for sending), or no shared memory (the windows of its
/// channels). Stored frames for reordering, backlogs and transient buffers are added. Internal memory of
/// sources and kernels is not included.
[[nodiscard]] Bytes memory_of(const Pipeline& pipeline, const RankProgram& program);

}  // namespace takt::pipeline
