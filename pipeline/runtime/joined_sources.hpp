#pragma once
/// The sources of a rank in a pipeline that joins the frames of several sources.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <mpi.h>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/program/program.hpp"
#include "pipeline/runtime/sources/source_exchange.hpp"
#include "pipeline/runtime/sources/source_feed.hpp"

namespace takt::pipeline {

/// The sources of this rank settle frames and exchange their state with those of other ranks. They also do so
/// while the rank waits for something else, because another rank may wait for their state.
class JoinedSources {
 public:
  /// Collective.
  JoinedSources(const Pipeline& pipeline, const RankProgram& program, MPI_Comm communicator);

  /// Returns whether this rank has joined sources.
  [[nodiscard]] bool has_own() const { return group_.has_value(); }
  /// Makes the source of a stage here, from `own` if that is given.
  [[nodiscard]] std::unique_ptr<sensors::Source> make(std::size_t stage, std::int64_t clock_offset_ns,
                                                      std::unique_ptr<sensors::Source> own);
  /// Sets the feed of the last source made. It must outlive the calls of `advance`.
  void set_feed(SourceFeed& feed) { sources_.back().feed = &feed; }

  void advance();
  /// Returns the source for which a rank waits when it waits for a frame of this one: another source, if that
  /// one has to report first whether there is such a frame.
  [[nodiscard]] std::size_t awaited(std::size_t stage) const;
  /// Receives the messages under way, once no rank sends any more: after a barrier.
  void end() { exchange_.end(); }

 private:
  struct Joined {
    std::size_t stage = 0;
    sensors::JoinedSource* source = nullptr;
    SourceFeed* feed = nullptr;
  };

  const Pipeline& pipeline_;
  SourceExchange exchange_;
  std::optional<sensors::SourceGroup> group_;
  std::vector<Joined> sources_;
};

}  // namespace takt::pipeline
