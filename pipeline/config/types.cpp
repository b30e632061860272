#include "pipeline/config/types.hpp"

#include <fmt/format.h>

#include "pipeline/activity.hpp"
#include "pipeline/sinks.hpp"
#include "pipeline/sources.hpp"

namespace takt::pipeline {

namespace {

/// MPI counts bytes in an int.
constexpr double largest_frame = 2147483647.0 - sizeof(FrameHeader);

void check_size(const FrameType& type) {
  double bytes = static_cast<double>(size_of(type.element));
  for (const Axis& axis : type.axes) bytes *= static_cast<double>(axis.size);
  if (bytes < 1) throw ConfigError(fmt::format("its frames would be empty: {}", type.to_string()));
  if (bytes > largest_frame)
    throw ConfigError(fmt::format("its frames would exceed 2 GiB: {}", type.to_string()));
}

void infer(Draft& draft, const std::vector<FrameType>& inputs, const KernelRegistry& kernels) {
  switch (draft.kind) {
    case StageKind::source:
      draft.output = find_source(draft.type)->make(*draft.parameters, 0)->type();
      break;
    case StageKind::kernel: {
      const KernelKind& kind = *kernels.find(draft.type);
      const std::unique_ptr<Kernel> kernel = kind.make(*draft.parameters);
      draft.output = kernel->configure(inputs);
      draft.stateless = kind.stateless || kernel->is_stateless();
      break;
    }
    case StageKind::sink:
      draft.output = inputs.front();
      (void)find_sink(draft.type)->make(*draft.parameters, inputs.front());
      break;
  }
  check_size(draft.output);
}

/// `infer`, with a place and a title for what goes wrong in it.
void infer_or_report(Draft& draft, const std::vector<FrameType>& inputs, const KernelRegistry& kernels,
                     ErrorList& errors) {
  draft.is_broken = true;
  const AtWork at_work(draft.name);
  try {
    infer(draft, inputs, kernels);
    draft.is_broken = false;
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
    errors.add(draft.where, fmt::format("{}: {} failed: {}", draft.title(), draft.type, error.what()));
  } catch (...) {
    errors.add(draft.where,
               fmt::format("{}: {} threw an exception of unknown type", draft.title(), draft.type));
  }
}

}  // namespace

void infer_types(std::vector<Draft>& drafts, const KernelRegistry& kernels, ErrorList& errors) {
  for (Draft& draft : drafts) {
    std::vector<FrameType> inputs;
    for (const Draft::Input& input : draft.inputs) {
      if (!input.from || drafts[*input.from].is_broken) draft.is_broken = true;
      if (!draft.is_broken) inputs.push_back(drafts[*input.from].output);
    }
    if (!draft.is_broken) infer_or_report(draft, inputs, kernels, errors);
  }
}

}  // namespace takt::pipeline
