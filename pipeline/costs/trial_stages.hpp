#pragma once
/// Replaces a pipeline's sources and sinks for trial runs: frames as fast as they are consumed, and no output
/// left.

#include <cstdint>
#include <memory>
#include <vector>

#include "pipeline/config/pipeline.hpp"

namespace takt::pipeline {

/// Returns the source of that stage without its rate, from the beginning. A live source, or one with a fixed
/// rate, is replaced by a source that lends as many frames of constant noise. `receiving` is the additional
/// cost per frame of such a source (StageCost::receiving), where ranks share cores with its thread. The first
/// `skipped` frames are left out if every frame is always available. A joined source is joined with no other
/// one, and its times begin at 0.
[[nodiscard]] std::unique_ptr<sensors::Source> make_trial_source(const Pipeline& pipeline, std::size_t stage,
                                                                 Time receiving = {},
                                                                 std::uint64_t skipped = 0);

/// Returns a source to be joined with others, with frames of its own length. Noise uses as much memory as the
/// source receives into.
[[nodiscard]] std::unique_ptr<sensors::Source> make_trial_source_to_join(const Pipeline& pipeline,
                                                                         std::size_t stage,
                                                                         Time receiving = {});

/// Returns the sink of that stage, writing to unnamed files; a sink that sends frames is replaced by one that
/// discards them. The pipeline must outlive it.
[[nodiscard]] std::unique_ptr<sensors::Sink> make_trial_sink(const Pipeline& pipeline, std::size_t stage);

}  // namespace takt::pipeline
