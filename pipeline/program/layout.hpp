#pragma once
/// Where a rank's outputs lie in memory.

#include <cstddef>
#include <optional>
#include <vector>

#include "pipeline/program/program.hpp"
#include "pipeline/program/reordering.hpp"

namespace takt::pipeline {

/// Of the output of one stage for one instance: in the next message of a channel, so that sending it copies
/// nothing, or in a place of the rank's own memory.
struct Home {
  /// Index of a channel of `sends`, and of the part in it.
  std::optional<std::size_t> channel;
  std::size_t part = 0;
  /// Whether a kernel makes it there for a rank that shares memory, and it is large enough that making it
  /// elsewhere and copying it may be faster (runtime/output_placement.hpp).
  bool may_be_copied = false;
  /// Whether it is such an output whose tiles are copied there (tiles/tiled_run.hpp) by whole lines of the
  /// caches, so that they may go past these.
  bool may_pass_caches = false;
  /// Otherwise one of Layout::places.
  std::size_t place = 0;
};

/// How the messages of one channel of `sends` lie in memory.
struct MessageLayout {
  /// By part, where its elements are in a message; nothing where the message refers to them where they lie:
  /// in a source's memory, or in the message of another channel.
  std::vector<std::optional<std::size_t>> elements;
  std::size_t bytes = 0;
  /// Other channels whose messages refer to elements in these.
  std::vector<std::size_t> referring;
};

/// Pure, like the program that it is made from.
struct Layout {
  /// By instance, then by stage; nothing where the rank makes no such output, or a source lends its own.
  std::vector<std::optional<Home>> homes;
  /// By channel of `sends`.
  std::vector<MessageLayout> messages;
  /// By instance, then by stage: channels that refer to frames in a source's memory.
  std::vector<std::vector<std::size_t>> referring;
  /// By instance, then by stage: the last step here that reads a frame which a source lends; 0 of all else.
  std::vector<std::size_t> read_until;
  /// Places for outputs that stay on the rank, shared one after the other (shared_places.hpp), each as large
  /// as the pipeline's largest frame and a canary behind it (canary.hpp).
  std::size_t places = 0;
  Bytes place_size;

  /// Whether any output may be copied, for which the rank needs one more place.
  [[nodiscard]] bool may_copy() const;
};

/// What is known of a rank beside its program.
struct Neighbourhood {
  /// Of each channel of `sends`, whether its receiver shares memory with this rank.
  std::vector<bool> is_shared;
  /// Of each stage, whether it is a source that lends as many frames at once as it is given memory for.
  std::vector<bool> lends_many;
};

[[nodiscard]] Layout lay_out(const Pipeline& pipeline, const RankProgram& program,
                             const Neighbourhood& neighbourhood);

/// How many frames of a round a source has lent at a time, if each is given back, in their order, before the
/// next one is taken behind its last reader; of a source whose frames no other rank reads where they lie. One
/// frame of memory, used again and again, stays in the caches, where several in turn do not.
[[nodiscard]] std::size_t most_lent(const RankProgram& program, const Layout& layout, std::size_t stage,
                                    std::size_t stages);

/// Whether a source's frame is copied, because several of them are at work at once and the source lends one.
[[nodiscard]] bool keeps_frames(const Pipeline& pipeline, const RankProgram& program,
                                const Neighbourhood& neighbourhood, std::size_t stage);

/// Messages of one channel that may wait between two ranks of one node: as many as the user says, or as fit
/// the second cache with those of the other frames of a round, which have channels of their own; 64 at most,
/// since a message comes from the cache of the core that made it while it is there; but 4 at least, or 2
/// where a round has several frames.
[[nodiscard]] std::size_t ring_depth(const Deployment& deployment, std::size_t message_bytes,
                                     std::uint32_t instances);
/// The same of a channel: deeper where most of its messages carry no frame, since what they are of is behind
/// a decimation, so that as many frames may wait in it; 4096 messages and 16 MiB at most, unless the user
/// says.
[[nodiscard]] std::size_t ring_depth(const Pipeline& pipeline, const ChannelPlan& channel,
                                     std::uint32_t instances);
/// The same between two nodes, at each end.
[[nodiscard]] std::size_t window_depth(const Deployment& deployment);

/// Of how many of its own frames a rank that collects keeps what `rest` needs of them, until their turn
/// comes.
[[nodiscard]] std::size_t early_frames(const Pipeline& pipeline, const ReorderProgram& reordering);
/// What that takes.
[[nodiscard]] Bytes early_memory(const Pipeline& pipeline, const ReorderProgram& reordering);

/// Of a source or sink: its backlog, and the transient buffer of a sink.
[[nodiscard]] Bytes memory_beside(const Stage& stage);

/// What the rank allocates for frames when all ranks share a node: its places, where outputs may be copied
/// one more, and the rings that it sends through; or, when none do, the windows of its channels: the larger
/// of the two; frames that wait for their turn; and backlogs and transient buffers. What sources and kernels
/// hold for themselves comes on top.
[[nodiscard]] Bytes memory_of(const Pipeline& pipeline, const RankProgram& program);

}  // namespace takt::pipeline
