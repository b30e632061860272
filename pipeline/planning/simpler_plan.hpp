#pragma once
/// Simpler plans beside the one that is predicted to be fastest: where they are predicted to be nearly as
/// fast, that one is not trusted.

#include <optional>
#include <string>

#include "core/units.hpp"
#include "logp/machine.hpp"
#include "pipeline/config/pipeline.hpp"
#include "schedulers/plan/plan.hpp"

namespace takt::pipeline {

struct SimplerPlan {
  schedulers::Plan plan;
  /// Whether it is to be taken where nothing but the prediction is known, and why, for the user.
  bool is_preferred = false;
  std::string why;
};

/// One rank, where `plan` has more. Preferred where `plan` is predicted to be less than 1.15 times as fast:
/// as much as predictions of light pipelines are wrong, and a second rank that slows a pipeline is a fault.
[[nodiscard]] std::optional<SimplerPlan> one_rank(const TaskGraph& graph, const logp::Machine& machine,
                                                  schedulers::Goal goal, const schedulers::Plan& plan);

/// One frame at a time in a chain of ranks, where `plan` works on several whose memory does not fit the cache
/// that the ranks of a node share, the chain's does, and `plan` is predicted to be less than 1.6 times as
/// fast. Preferred where it is less than 1.3 times: tasks are measured with their own frames in that cache,
/// and take a third longer without (the spectrometer on 2 MiB frames: 1.9 kHz predicted, 1.3 reached; a chain
/// 1.5 and 1.5).
[[nodiscard]] std::optional<SimplerPlan> chain_within_cache(const Pipeline& pipeline, const TaskGraph& graph,
                                                            const logp::Machine& machine,
                                                            schedulers::Goal goal,
                                                            const schedulers::Plan& plan, Bytes cache);

/// The same where `plan` works on several frames and a stage is called for few of them: one of its ranks may
/// have all of these calls, which its schedule shares out (count_uneven_calls). Never preferred as it is.
[[nodiscard]] std::optional<SimplerPlan> chain_for_seldom_calls(const Pipeline& pipeline,
                                                                const TaskGraph& graph,
                                                                const logp::Machine& machine,
                                                                schedulers::Goal goal,
                                                                const schedulers::Plan& plan);

}  // namespace takt::pipeline
