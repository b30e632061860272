#include "pipeline/config/types.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "pipeline/calls/several_outputs.hpp"
#include "pipeline/config/backlog_keys.hpp"
#include "pipeline/config/devices.hpp"
#include "pipeline/config/guarded_source.hpp"
#include "pipeline/config/joining.hpp"
#include "pipeline/exception_text.hpp"
#include "pipeline/kernel.hpp"
#include "pipeline/watching/activity.hpp"

namespace takt::pipeline {

namespace {

/// Returns the kernel's distribution, limited by the sizes of the axes. Returns nothing if it has none or if
/// frames cannot be divided: those of integers hold flags of missing parts after their elements. Throws
/// std::logic_error if it names an unknown axis.
std::optional<BlockDistribution> checked_distribution(const Kernel& kernel, std::span<const FrameType> inputs,
                                                      const FrameType& output) {
  std::optional<BlockDistribution> distribution = kernel.distribution();
  if (!distribution) return std::nullopt;
  if (distribution->inputs.size() != inputs.size())
    throw std::logic_error(fmt::format("it divides {} inputs among a group, but has {}",
                                       distribution->inputs.size(), inputs.size()));
  bool has_flags = false;
  const auto limit = [&](const FrameType& type, std::size_t axis) {
    if (axis >= type.axes.size())
      throw std::logic_error(fmt::format("it divides axis {} of {} among a group: expected an index below {}",
                                         axis, type.to_string(), type.axes.size()));
    distribution->most_members = std::min(distribution->most_members, type.axes[axis].size);
    has_flags = has_flags || !type.parts.empty();
  };
  for (std::size_t i = 0; i < inputs.size(); ++i) limit(inputs[i], distribution->inputs[i]);
  limit(output, distribution->output);
  if (has_flags || distribution->most_members < 2) return std::nullopt;
  return distribution;
}

/// MPI counts bytes in an int.
constexpr double largest_frame = 2147483647.0 - sizeof(FrameHeader);

void check_type(const FrameType& type) {
  double bytes = static_cast<double>(size_of(type.element));
  for (const Axis& axis : type.axes) bytes *= static_cast<double>(axis.size);
  if (bytes < 1) throw ConfigError(fmt::format("its frames are empty: {}", type.to_string()));
  if (bytes > largest_frame) throw ConfigError(fmt::format("its frames exceed 2 GiB: {}", type.to_string()));
  if (!std::isfinite(type.rate_hz) || type.rate_hz < 0)
    throw ConfigError(fmt::format(
        "its frames have a rate of {} Hz: expected a rate above 0, or 0 if it is not known", type.rate_hz));
}

/// Tasks look up axes by name.
void check_axes_differ(const FrameType& type) {
  for (auto axis = type.axes.begin(); axis != type.axes.end(); ++axis)
    if (std::find_if(type.axes.begin(), axis, [&](const Axis& other) { return other.name == axis->name; }) !=
        axis)
      throw ConfigError(fmt::format("its frames have two axes '{}': {}", axis->name, type.to_string()));
}

/// Determines the packed output of a task whose further outputs are used.
void pack(Draft& draft, Kernel& kernel, const std::vector<FrameType>& inputs, const KernelKind& kind) {
  draft.outputs = kernel.further_outputs();
  if (draft.outputs.size() != kind.further_outputs.size())
    throw ConfigError(fmt::format("kernel {} has the further outputs {}, but sets the types of {}", kind.name,
                                  fmt::join(kind.further_outputs, " "), draft.outputs.size()));
  draft.outputs.insert(draft.outputs.begin(), draft.output);
  for (const FrameType& output : draft.outputs) check_type(output);
  draft.output = packed_type(draft.outputs, inputs.front().rate_hz);
  draft.separable.assign(inputs.size() == 1 ? inputs.front().axes.size() : 0, std::nullopt);
}

/// Checks and sets what is special about asynchronous kernels.
void set_asynchronous(Draft& draft, const AsynchronousKernel& kernel, const std::vector<FrameType>& inputs) {
  constexpr std::size_t most = 1024;
  draft.depth = kernel.depth();
  if (draft.depth < 1 || draft.depth > most)
    throw ConfigError(fmt::format("the asynchronous kernel {} has a depth of {} frames: expected 1 to {}",
                                  draft.type, draft.depth, most));
  if (draft.has_ports)
    throw ConfigError(fmt::format("{} is asynchronous: only its first output can be used", draft.type));
  // The frames under way are a state.
  draft.stateless = false;
  draft.in_flight = draft.output.size();
  for (const FrameType& input : inputs) draft.in_flight.count += input.size().count;
  draft.in_flight.count *= draft.depth;
  draft.kernel_device = kernel.device();
  if (draft.kernel_device) check_device(*draft.kernel_device, draft.type);
}

/// `outputs_of_input`: the outputs of the task that a port belongs to.
void infer(Draft& draft, const std::vector<FrameType>& inputs, std::span<const FrameType> outputs_of_input,
           const KernelRegistry& kernels) {
  switch (draft.kind) {
    case StageKind::source: {
      const auto source = make_guarded(*kernels.find_source(draft.type), *draft.parameters);
      draft.own_frames = source->type();
      draft.description = source->description();
      draft.stateless = source->may_be_shared() && !draft.backlog;
      check_type(draft.own_frames);
      check_axes_differ(draft.own_frames);
      check_backlog(draft, draft.own_frames.size());
      return;
    }
    case StageKind::kernel: {
      if (draft.port) {
        draft.output = outputs_of_input[*draft.port];
        draft.outputs.assign(outputs_of_input.begin(), outputs_of_input.end());
        draft.stateless = true;
        draft.separable.assign(1, std::nullopt);
        break;
      }
      const KernelKind& kind = *kernels.find(draft.type);
      const std::unique_ptr<Kernel> kernel = kind.make(*draft.parameters);
      draft.output = kernel->configure(inputs);
      draft.stateless = kind.stateless || kernel->is_stateless();
      check_saves_nothing(kind, *kernel);
      if (!draft.stateless) draft.travelling = Bytes{kernel->travelling_state()};
      if (const auto* const asynchronous = dynamic_cast<const AsynchronousKernel*>(kernel.get())) {
        draft.travelling = Bytes{0};
        set_asynchronous(draft, *asynchronous, inputs);
        break;
      }
      if (draft.has_ports) {
        pack(draft, *kernel, inputs, kind);
        break;
      }
      for (std::size_t axis = 0; inputs.size() == 1 && axis < inputs.front().axes.size(); ++axis)
        draft.separable.push_back(kernel->separates(axis));
      draft.distribution = checked_distribution(*kernel, inputs, draft.output);
      break;
    }
    case StageKind::sink:
      draft.output = inputs.front();
      draft.stateless =
          kernels.find_sink(draft.type)->make(*draft.parameters, inputs.front())->may_be_shared() &&
          inputs.size() == 1 && !draft.backlog && !draft.transient;
      check_backlog(draft, draft.output.size());
      check_transient(draft);
      break;
  }
  check_type(draft.output);
}

/// Calls `infer` and adds the place and title of the stage to errors.
void infer_or_report(Draft& draft, const std::vector<FrameType>& inputs,
                     std::span<const FrameType> outputs_of_input, const KernelRegistry& kernels,
                     ErrorList& errors) {
  draft.is_broken = true;
  const AtOtherWork at_work(draft.name, Deadline::set_up);
  try {
    infer(draft, inputs, outputs_of_input, kernels);
    draft.is_broken = false;
  } catch (const UnlikeTimes& error) {
    const Draft::Input &input = draft.inputs.at(error.input()), &other = draft.inputs.at(error.other());
    errors.add(input.where, fmt::format("{}: its inputs have different times: {}", draft.title(),
                                        error.describe(input.name, other.name)));
  } catch (const InputError& error) {
    const Draft::Input& input = draft.inputs.at(error.input());
    errors.add(input.where, fmt::format("{}: {} cannot take '{}': {}", draft.title(), draft.type, input.name,
                                        error.message()));
  } catch (const ConfigError& error) {
    if (error.where().file.empty())
      errors.add(draft.where, fmt::format("{}: {}", draft.title(), error.message()));
    else
      errors.add(error.where(), error.message());
  } catch (const std::exception& error) {
    errors.add(draft.where,
               fmt::format("{}: {} failed: {}", draft.title(), draft.type, exception_text(error)));
  } catch (...) {
    errors.add(draft.where,
               fmt::format("{}: {} threw an exception of unknown type", draft.title(), draft.type));
  }
}

/// Reports inputs of a task that are later than others: frames of one number would not meet. Sums up the
/// frames by which asynchronous kernels are late.
void follow_lags(std::vector<Draft>& drafts, ErrorList& errors) {
  for (Draft& draft : drafts) {
    if (draft.kind == StageKind::source || draft.is_broken) continue;
    const auto lag_of = [&](const Draft::Input& input) { return drafts[*input.from].lag; };
    const auto [first, last] = std::ranges::minmax_element(draft.inputs, {}, lag_of);
    draft.lag = lag_of(*last);
    // The input that triggers a sink has no part in its frames.
    if (draft.kind == StageKind::sink) continue;
    const double gives = drafts[*first->from].gives, apart = draft.lag - lag_of(*first);
    if (apart > 0)
      errors.add(last->where,
                 fmt::format("{}: '{}' is asynchronous, or downstream of such a task, and comes {:g} frames "
                             "later than '{}': hold that one back with {{kernel: hold, frames: {:g}}}",
                             draft.title(), last->name, apart * gives, first->name, apart * gives));
    draft.lag += static_cast<double>(draft.depth) / gives;
  }
}

/// Frames/s after the source and after each kernel on the path that gathers frames; the rate of the source
/// counts as 1 if it is unknown.
using Rates = std::vector<double>;

bool are_equal(double a, double b) {
  return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

/// Returns the rate of a kernel's output for the rates of its inputs. If the source's rate is unknown,
/// another kernel of the kind is configured to compute it.
double output_rate(const Draft& draft, const std::vector<Draft>& drafts, const std::vector<Rates>& rates,
                   const KernelRegistry& kernels) {
  if (draft.output.rate_hz > 0) return draft.output.rate_hz;
  std::vector<FrameType> inputs;
  for (const Draft::Input& input : draft.inputs) {
    inputs.push_back(drafts[*input.from].output);
    inputs.back().rate_hz = rates[*input.from].back();
  }
  // The rate of the packed frames; the reduction by a first output is known if the source's rate is.
  if (draft.port || draft.has_ports) return inputs.front().rate_hz;
  const AtOtherWork at_work(draft.name, Deadline::set_up);
  try {
    const double rate = kernels.find(draft.type)->make(*draft.parameters)->configure(inputs).rate_hz;
    return rate > 0 ? rate : inputs.front().rate_hz;
  } catch (...) {
    // The kernel rejects the artificial rate, which is not the real one of its inputs.
    return inputs.front().rate_hz;
  }
}

/// Returns `250 Hz`, or `1 frame for 4 of the source` if the source's rate is unknown.
std::string describe(const Rates& rates, bool rate_is_known) {
  if (rate_is_known) return takt::to_string(Frequency{rates.back()});
  if (rates.size() == 1) return "one per frame of the source";
  return fmt::format("one per {:g} frames of the source", rates.front() / rates.back());
}

/// Sets the frames of each stage per frame of its source, and checks that the inputs of each stage have equal
/// rates. A task consumes its inputs' frames one by one: if one input is still gathering when another one has
/// a frame, that frame would be lost. After losses the same happens to inputs of one rate that were gathered
/// in different steps.
void follow_rates(std::vector<Draft>& drafts, const KernelRegistry& kernels, ErrorList& errors) {
  std::vector<Rates> rates(drafts.size());
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    Draft& draft = drafts[i];
    if (draft.kind == StageKind::sink || draft.is_broken) continue;
    if (draft.kind == StageKind::source) {
      rates[i] = {draft.output.rate_hz > 0 ? draft.output.rate_hz : 1};
      continue;
    }
    const Draft::Input& first = draft.inputs.front();
    rates[i] = rates[*first.from];
    for (const Draft::Input& other : draft.inputs) {
      const Rates& others = rates[*other.from];
      if (std::ranges::equal(rates[i], others, are_equal)) continue;
      const bool rate_is_known = drafts[*first.from].output.rate_hz > 0;
      errors.add(other.where,
                 are_equal(rates[i].back(), others.back())
                     ? fmt::format("{}: its inputs '{}' and '{}' combine the source's frames in different "
                                   "steps, so they diverge when frames are lost: combine in the same steps",
                                   draft.title(), first.name, other.name)
                     : fmt::format("{}: its inputs differ in rate: '{}' outputs {}, '{}' outputs {}; "
                                   "integrate both alike, or after this task",
                                   draft.title(), first.name, describe(rates[i], rate_is_known), other.name,
                                   describe(others, rate_is_known)));
      break;
    }
    const double rate = output_rate(draft, drafts, rates, kernels);
    if (!are_equal(rate, rates[i].back())) rates[i].push_back(rate);
    // No kernel produces more frames than it consumes.
    draft.gives = std::min(1.0, rates[i].back() / rates[i].front());
  }
}

}  // namespace

void infer_types(std::vector<Draft>& drafts, const KernelRegistry& kernels, Joining& joining,
                 ErrorList& errors) {
  for (Draft& draft : drafts)
    if (draft.kind == StageKind::source && !draft.is_broken) infer_or_report(draft, {}, {}, kernels, errors);
  join_sources(drafts, kernels, joining, errors);
  for (Draft& draft : drafts) {
    if (draft.kind == StageKind::source) continue;
    std::vector<FrameType> inputs;
    for (const Draft::Input& input : draft.inputs) {
      if (!input.from || drafts[*input.from].is_broken) draft.is_broken = true;
      if (!draft.is_broken) inputs.push_back(drafts[*input.from].output);
    }
    std::span<const FrameType> outputs_of_input;
    if (draft.port) outputs_of_input = drafts[*draft.inputs.front().from].outputs;
    if (!draft.is_broken) infer_or_report(draft, inputs, outputs_of_input, kernels, errors);
  }
  follow_rates(drafts, kernels, errors);
  follow_lags(drafts, errors);
}

}  // namespace takt::pipeline
