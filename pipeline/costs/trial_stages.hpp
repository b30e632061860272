#pragma once
/// Sources and sinks in the place of a pipeline's own, for a trial before a run: frames as fast as they are
/// taken, and nothing left behind.

#include <cstdint>
#include <memory>
#include <vector>

#include "pipeline/config/pipeline.hpp"

namespace takt::pipeline {

/// The source of that stage without its rate, from the beginning; in the place of one that receives frames,
/// or whose rate is its own, one that gives the same noise again and again and lends as many frames.
/// `receiving` is what each frame of such a one costs beside that (StageCost::receiving), where ranks share
/// their cores with the thread that does it. Where any frame is there whenever it is asked for, so many are
/// left out before the first one. A joined one is joined to no others, and its times begin at 0.
[[nodiscard]] std::unique_ptr<sensors::Source> make_trial_source(const Pipeline& pipeline, std::size_t stage,
                                                                 Time receiving = {},
                                                                 std::uint64_t skipped = 0);

/// What is to be joined to others: frames of the source's own length. Noise comes from as much memory as the
/// source receives into.
[[nodiscard]] std::unique_ptr<sensors::Source> make_trial_source_to_join(const Pipeline& pipeline,
                                                                         std::size_t stage,
                                                                         Time receiving = {});

/// The sink of that stage, writing to files without names; in the place of one that sends frames, one that
/// throws them away. The pipeline must outlive it.
[[nodiscard]] std::unique_ptr<sensors::Sink> make_trial_sink(const Pipeline& pipeline, std::size_t stage);

}  // namespace takt::pipeline
