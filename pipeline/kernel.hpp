#pragma once
/// Kernels: what a task does to a frame. This header is what a plug-in needs, for sources and sinks as well.
///
/// A plug-in is a shared library that exports
///   extern "C" void takt_register_kernels(takt::pipeline::KernelRegistry& registry);
/// links with `takt::plugin`, and is named under `plugins:` of a pipeline. See docs/reference/plugins.md.

#include <concepts>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/group.hpp"
#include "pipeline/parameters.hpp"
#include "pipeline/stage_kinds.hpp"
#include "sensors/frames/frame.hpp"

namespace takt::pipeline {

using sensors::Axis;
using sensors::ElementType;
using sensors::FrameBuffer;
using sensors::FrameHeader;
using sensors::FrameType;
using sensors::FrameView;

/// Whether a call filled the output frame, or took the input in and has nothing to give yet. Of `finish`
/// only: `more` filled it, and has another frame to give. Anything else ends the run with the task's name.
enum class Outcome : std::uint8_t { produced, absorbed, more };

/// Another output of a kernel, beside its first one (KernelKind::further_outputs).
struct FurtherOutput {
  /// Its header is a copy of the first input's.
  FrameBuffer frame;
  /// Whether it was filled. False before the call.
  bool is_given = false;
};

/// One task's work. A kernel has one output or several, and one or more inputs. Each kernel object is used by
/// one thread.
class Kernel {
 public:
  virtual ~Kernel() = default;

  /// Type of the output for these input types; also allocates what `process` needs. Called once.
  /// Throws InputError when an input does not fit, and Parameters::refuse when a parameter does not fit the
  /// inputs.
  [[nodiscard]] virtual FrameType configure(std::span<const FrameType> inputs) = 0;

  /// One frame. The output's header is already a copy of the first input's. An exception ends the whole job
  /// with its message. Allocates nothing.
  virtual Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) = 0;

  /// Whether, as configured, it keeps nothing from one frame to the next, although others of its kind do.
  [[nodiscard]] virtual bool is_stateless() const { return false; }

  /// Whether, as configured, it works on its one input part by part: equal parts along this axis give equal
  /// parts of the output along the axis that is returned, each by itself, all of them something or none. Then
  /// a kernel of its own may be made for each part, so that large frames pass through several kernels without
  /// leaving the cache (docs/reference/plugins.md).
  [[nodiscard]] virtual std::optional<std::size_t> separates(std::size_t axis) const {
    (void)axis;
    return std::nullopt;
  }

  /// Of a kernel with further outputs: their types, in the order of KernelKind::further_outputs. Asked after
  /// `configure`; allocates what `process_all` needs.
  [[nodiscard]] virtual std::vector<FrameType> further_outputs() { return {}; }

  /// `process` where somebody takes further outputs, all of which have room. Each output is given or not by
  /// itself. Of a kernel without further outputs it is never called.
  virtual Outcome process_all(std::span<const FrameView> inputs, const FrameBuffer& output,
                              std::span<FurtherOutput> further) {
    (void)further;
    return process(inputs, output);
  }

  /// The user has changed a parameter (`takt set`; ParameterSpec::may_change): all values, of which those
  /// that may not change are as they were. Called between two frames. What it computes from the new values
  /// must have the type of before. False where the kernel does not see to it itself: another one is made in
  /// its place, and what this one has kept of earlier frames is lost. A kernel of its own with these values
  /// has been configured before, so that they are known to be good.
  virtual bool change(const Parameters& parameters) {
    (void)parameters;
    return false;
  }

  /// Called at the end of the stream, until it has no more to give: a kernel that gathers frames gives its
  /// unfinished rest here, one that lags behind its last frames.
  virtual Outcome finish(const FrameBuffer& output) {
    (void)output;
    return Outcome::absorbed;
  }

  /// How frames are divided where a group of ranks works on them together; nothing where it runs on one rank
  /// only. Asked after `configure`.
  [[nodiscard]] virtual std::optional<BlockDistribution> distribution() const { return std::nullopt; }

  /// From now on this object is one of several members of the group: what `process` and `finish` are given,
  /// and what they make, are its blocks. Called once, after `configure`, which has seen the whole frames'
  /// types; allocates what `process` needs. All members take in the same frames and give the same outcomes
  /// and headers. Throws ConfigError where the kernel cannot be divided among so many.
  virtual void join(Group& group) { (void)group; }

  /// All that it keeps from one frame to the next, for another object of its kind which is configured alike
  /// and goes on with it: `load` is called once, before its first frame. Nothing where it cannot be handed
  /// over; then it stays on its rank when a run changes its plan (`takt run --adapt`). A stateless
  /// kernel has nothing to save: one that gives a state is refused (check_saves_nothing).
  [[nodiscard]] virtual std::optional<std::vector<std::byte>> save() const { return std::nullopt; }
  /// Throws WorkError where the bytes are not of such an object.
  virtual void load(std::span<const std::byte> state) { (void)state; }
};

/// An input that a kernel cannot take; whoever loads the pipeline adds which task that is and where it is
/// written.
class InputError : public ConfigError {
 public:
  explicit InputError(const std::string& message, std::size_t input = 0)
      : ConfigError(message), input_(input) {}
  /// Index of the input.
  [[nodiscard]] std::size_t input() const { return input_; }

 private:
  std::size_t input_;
};

/// Two inputs whose samples are not of the same moments.
class UnlikeTimes : public InputError {
 public:
  /// `input` is not of the time of `other`. Of each what is known: when its frames begin, from those of the
  /// source on, and how many samples come a second (0: not known).
  struct Side {
    std::size_t input = 0;
    double start_s = 0, sample_hz = 0;
  };
  UnlikeTimes(const Side& side, const Side& than);
  /// Index of the input that the other one is compared with.
  [[nodiscard]] std::size_t other() const { return other_.input; }
  /// What differs, and what to do about it.
  [[nodiscard]] std::string describe(std::string_view input, std::string_view other) const;

 private:
  Side side_, other_;
};

/// Of a kernel that combines its inputs sample by sample: throws UnlikeTimes unless they begin at one moment
/// (FrameType::start_s) and their samples lie equally far apart.
void require_one_time(std::span<const FrameType> inputs);

/// Of a kernel that combines its inputs element by element: throws an InputError where indices of an axis
/// stand for something else in an input than in the first one, such as channels of other frequencies, by more
/// than a hundredth of what lies between two of them. Axes in time (require_one_time), the one called
/// `except`, and those of unknown coordinates are not compared. The inputs have axes of the same sizes.
void require_same_axes(std::span<const FrameType> inputs, std::string_view except = {});

/// Throws an InputError that names both types unless the input has one of these elements and exactly these
/// axes.
void require_input(std::span<const FrameType> inputs, std::size_t input,
                   std::initializer_list<ElementType> elements, std::initializer_list<std::string_view> axes);

/// `: put {kernel: unpack} in front of it`, for elements that kernels do not compute with; empty for float32
/// and complex_float32.
[[nodiscard]] std::string advice_to_unpack(const FrameType& type);

/// A truth value without a default: an aggregate that leaves it out does not compile.
class RequiredBool {
 public:
  template <std::same_as<bool> Value>
  // NOLINTNEXTLINE(google-explicit-constructor, hicpp-explicit-conversions): `.stateless = true` is meant.
  constexpr RequiredBool(Value value) : value_(value) {}
  // NOLINTNEXTLINE(google-explicit-constructor, hicpp-explicit-conversions): it is used as a bool.
  constexpr operator bool() const { return value_; }

 private:
  bool value_;
};

/// A kind of kernel: its name, what it takes, and how to make one.
struct KernelKind {
  std::string name;
  /// One line for people.
  std::string summary;
  /// Whether all kernels of the kind keep nothing from one frame to the next. Successive frames of a
  /// stateless kernel may go to different objects on different processors, and no state of it is saved.
  RequiredBool stateless;
  std::size_t inputs = 1;
  /// Whether it takes any number of inputs from `inputs` on.
  bool more_inputs = false;
  /// Names of outputs beside the first one: `events` of a task `trigger` is the input `trigger.events` of
  /// others.
  std::vector<std::string> further_outputs = {};
  std::vector<ParameterSpec> parameters = {};
  std::unique_ptr<Kernel> (*make)(const Parameters& parameters) = nullptr;
};

/// Throws ConfigError where a kernel of this kind counts as stateless, by its kind or as it is configured,
/// and saves a state all the same: runs that start again or move it would lose that state.
void check_saves_nothing(const KernelKind& kind, const Kernel& kernel);

/// The kernels, sources and sinks that a pipeline can name: the built-in ones, then those of its plug-ins.
class KernelRegistry {
 public:
  /// Throws ConfigError when the name is taken, or when a parameter has the name of a task's, source's or
  /// sink's own key.
  void add(KernelKind kind);
  void add_source(SourceKind kind);
  void add_sink(SinkKind kind);
  /// Null when there is none of that name.
  [[nodiscard]] const KernelKind* find(std::string_view name) const;
  [[nodiscard]] const std::vector<KernelKind>& kinds() const { return kinds_; }
  [[nodiscard]] const SourceKind* find_source(std::string_view name) const;
  [[nodiscard]] const std::vector<SourceKind>& sources() const { return sources_; }
  [[nodiscard]] const SinkKind* find_sink(std::string_view name) const;
  [[nodiscard]] const std::vector<SinkKind>& sinks() const { return sinks_; }

  /// Loads a shared library and lets it register what it has; it stays loaded until the program ends.
  /// Throws ConfigError with the loader's reason, when it does not export `takt_register_kernels`, or when it
  /// was built against another kernel interface.
  void load_plugin(const std::string& path);

  /// And the built-in sources and sinks.
  [[nodiscard]] static KernelRegistry with_built_in_kernels();

 private:
  std::vector<KernelKind> kinds_;
  std::vector<SourceKind> sources_;
  std::vector<SinkKind> sinks_;
};

/// Version of everything that this header declares. A plug-in carries the number that it was compiled with,
/// and load_plugin compares it with its own.
extern "C" {
[[gnu::used]] inline constexpr unsigned takt_kernel_interface = 10;
}

}  // namespace takt::pipeline
