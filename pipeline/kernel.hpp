#pragma once
/// Defines the interface of kernels, the work of a task on a frame. Plug-ins include only this header.
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

#include "pipeline/completion.hpp"
#include "pipeline/group.hpp"
#include "pipeline/parameters.hpp"
#include "pipeline/stage_kinds.hpp"
#include "pipeline/tasks.hpp"
#include "sensors/frames/frame.hpp"

namespace takt::pipeline {

using sensors::Axis;
using sensors::ElementType;
using sensors::FrameBuffer;
using sensors::FrameHeader;
using sensors::FrameType;
using sensors::FrameView;

/// Further output of a kernel, next to its first one (KernelKind::further_outputs).
struct FurtherOutput {
  /// Its header is a copy of the first input's.
  FrameBuffer frame;
  /// True if the call filled it. False before the call.
  bool is_given = false;
};

/// The work of one task, with one or more inputs and outputs. Each kernel object is used by one
/// thread.
class Kernel {
 public:
  virtual ~Kernel() = default;

  /// Returns the type of the output for these input types and allocates what `process` needs. Called once.
  /// Throws InputError when an input does not fit, and Parameters::refuse when a parameter does not fit the
  /// inputs.
  [[nodiscard]] virtual FrameType configure(std::span<const FrameType> inputs) = 0;

  /// Processes one frame. The output's header is already a copy of the first input's. An exception ends the
  /// whole job with its message. Allocates nothing.
  virtual Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) = 0;

  /// Gives the kernel the cores of its rank. Called once, after `configure` and before the first frame;
  /// `tasks` outlives the kernel.
  virtual void use_tasks(Tasks& tasks) { (void)tasks; }

  /// Returns true if the kernel as configured keeps no state between frames, although its kind may.
  [[nodiscard]] virtual bool is_stateless() const { return false; }

  /// Returns the output axis along which the kernel, as configured, is separable. Equal parts of its one
  /// input along `axis` then yield equal, independent parts of the output along that axis, and either all or
  /// none do. takt may make one kernel for each part, so that large frames pass through several kernels
  /// without leaving the cache (docs/reference/plugins.md).
  [[nodiscard]] virtual std::optional<std::size_t> separates(std::size_t axis) const {
    (void)axis;
    return std::nullopt;
  }

  /// Returns the types of the further outputs, in the order of KernelKind::further_outputs. Called after
  /// `configure`; allocates what `process_all` needs.
  [[nodiscard]] virtual std::vector<FrameType> further_outputs() { return {}; }

  /// Processes one frame like `process` when further outputs are in use; all of them have buffers. Each
  /// output may be filled or not, independently. Called only for kernels with further outputs.
  virtual Outcome process_all(std::span<const FrameView> inputs, const FrameBuffer& output,
                              std::span<FurtherOutput> further) {
    (void)further;
    return process(inputs, output);
  }

  /// Applies new values of parameters that may change (`takt set`; ParameterSpec::may_change). `parameters`
  /// holds all values. Called between two frames; the output type must stay the same. Returns false if the
  /// kernel does not support the change: takt then replaces it by a new one, and the state of earlier
  /// frames is lost. takt has already configured another kernel with these values, so they are known to be
  /// valid.
  virtual bool change(const Parameters& parameters) {
    (void)parameters;
    return false;
  }

  /// Flushes the kernel at the end of the stream; called again after `more`. A kernel that gathers frames
  /// returns its unfinished group here, one with a delay its last frames.
  virtual Outcome finish(const FrameBuffer& output) {
    (void)output;
    return Outcome::absorbed;
  }

  /// Returns the distribution of frames over a group of ranks, or nothing if the kernel runs on one rank
  /// only. Called after `configure`.
  [[nodiscard]] virtual std::optional<BlockDistribution> distribution() const { return std::nullopt; }

  /// Makes this object a member of a group: from now on `process` and `finish` work on its blocks of the
  /// input and output. Called once, after `configure` with the types of the whole frames; allocates what
  /// `process` needs. All members receive the same frames and must return the same outcomes and headers.
  /// Throws ConfigError where the kernel does not support this number of members.
  virtual void join(Group& group) { (void)group; }

  /// Returns all state between frames, for an identically configured object of the same kind that continues
  /// with it: `load` is called once, before its first frame. Returns nothing if the state cannot be moved;
  /// the kernel then keeps its rank when a run changes its plan (`takt run --adapt`). A stateless kernel must
  /// not return a state (check_saves_nothing).
  [[nodiscard]] virtual std::optional<std::vector<std::byte>> save() const { return std::nullopt; }
  /// Returns the largest size in bytes of what `save` returns, for any parameters that may change, if the
  /// state may travel with the frames: several ranks of a node then run objects of this kernel in turn, frame
  /// after frame, and each passes its state on to the next one. `load` is then called before any frame, also
  /// more than once, and `save` after each one; the cost of both counts in every frame. 0: the kernel stays
  /// on one rank. Called after `configure`.
  [[nodiscard]] virtual std::size_t travelling_state() const { return 0; }
  /// Restores a saved state. Throws WorkError if the bytes are not from such an object.
  virtual void load(std::span<const std::byte> state) { (void)state; }
};

/// The device of an asynchronous kernel (AsynchronousKernel::device).
struct KernelDevice {
  /// Letters, digits, _ and -. The tasks of a pipeline whose kernels name the same device share it.
  std::string name;
  /// Frames on which it works at once, 1 to 1024.
  std::size_t units = 1;
  /// Speed of its link from the memory of the rank, and of that back, in bytes/s, one frame after the other.
  /// 0: unknown, or not worth a link of its own (docs/reference/pipeline-yaml.md, Devices).
  double to = 0, from = 0;
};

/// A kernel that starts the work on a frame and goes on: another thread, process or device finishes it. takt
/// keeps the order of frames, and passes the output of a frame on when `depth` later frames have come, or at
/// the end of the stream. Such a kernel runs on one rank, on whole frames, and has one output. `change`,
/// `save` and `finish` are called when no frame is under way.
class AsynchronousKernel : public Kernel {
 public:
  /// Returns how many frames may be under way at once, at least 1: takt has memory for them. Called after
  /// `configure`; `change` does not alter it.
  [[nodiscard]] virtual std::size_t depth() const = 0;

  /// Returns its device, which plans then know; nothing: one of its own without a name, with one unit. Called
  /// after `configure`. The pipeline file may state other values (`deployment: devices`).
  [[nodiscard]] virtual std::optional<KernelDevice> device() const { return std::nullopt; }

  /// Starts the work on a frame, in the order of frames. `inputs` (a copy) and `output` are valid until
  /// `completion` is complete; their memory is at the same `depth` addresses in the whole run. The output's
  /// header is a copy of the first input's. An exception, as one given to `Completion::fail`, ends the run.
  /// Allocates nothing. The destructor of the kernel returns when no thread uses the memory of frames.
  virtual void start(std::span<const FrameView> inputs, const FrameBuffer& output,
                     Completion& completion) = 0;

  /// Completes frames whose work has ended, if no other thread does so. Called by the rank's thread before
  /// each `start`; if it returns true, also every 50 us while the rank waits for a frame.
  virtual bool poll() { return false; }

  /// Not called: `start` replaces it.
  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) final;
};

/// An input that a kernel does not support. The loader of the pipeline adds the task's name and place in the
/// file.
class InputError : public ConfigError {
 public:
  explicit InputError(const std::string& message, std::size_t input = 0)
      : ConfigError(message), input_(input) {}
  /// Index of the input.
  [[nodiscard]] std::size_t input() const { return input_; }

 private:
  std::size_t input_;
};

/// Two inputs whose samples do not coincide in time.
class UnlikeTimes : public InputError {
 public:
  /// `input` and `other` differ in time. Each side holds the start of its frames, relative to those of the
  /// source, and its sample rate (0: unknown).
  struct Side {
    std::size_t input = 0;
    double start_s = 0, sample_hz = 0;
  };
  UnlikeTimes(const Side& side, const Side& than);
  /// Index of the input with which it was compared.
  [[nodiscard]] std::size_t other() const { return other_.input; }
  /// Describes the difference and its remedy.
  [[nodiscard]] std::string describe(std::string_view input, std::string_view other) const;

 private:
  Side side_, other_;
};

/// Checks the inputs of a kernel that combines them sample by sample. Throws UnlikeTimes unless they have the
/// same start (FrameType::start_s) and the same sample interval.
void require_one_time(std::span<const FrameType> inputs);

/// Checks the inputs of a kernel that combines them element by element. Throws InputError if the coordinates
/// of an axis, such as channel frequencies, differ from those of the first input by more than a hundredth of
/// a step. Axes in time (require_one_time), the axis `except`, and those of unknown coordinates are not
/// compared. The inputs must have axes of the same sizes.
void require_same_axes(std::span<const FrameType> inputs, std::string_view except = {});

/// Throws InputError with both types unless the input has one of these elements and exactly these
/// axes.
void require_input(std::span<const FrameType> inputs, std::size_t input,
                   std::initializer_list<ElementType> elements, std::initializer_list<std::string_view> axes);

/// Returns `: put {kernel: unpack} in front of it` for elements that kernels do not compute with; empty for
/// float32 and complex_float32.
[[nodiscard]] std::string advice_to_unpack(const FrameType& type);

/// A bool without a default: an aggregate that omits it does not compile.
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

/// A kind of kernel: its name, inputs, outputs and parameters, and a function that makes one.
struct KernelKind {
  std::string name;
  /// One line for users.
  std::string summary;
  /// True if no kernel of the kind keeps state between frames. Successive frames of a stateless kernel may go
  /// to different objects on different processors, and its state is not saved.
  RequiredBool stateless;
  std::size_t inputs = 1;
  /// True if it accepts `inputs` or more inputs.
  bool more_inputs = false;
  /// Names of the outputs after the first one: `events` of a task `trigger` is the input `trigger.events` of
  /// other tasks.
  std::vector<std::string> further_outputs = {};
  std::vector<ParameterSpec> parameters = {};
  std::unique_ptr<Kernel> (*make)(const Parameters& parameters) = nullptr;
};

/// Throws ConfigError if a kernel is stateless, by its kind or its configuration, and yet saves a state: runs
/// that restart or move it would lose that state.
void check_saves_nothing(const KernelKind& kind, const Kernel& kernel);

/// The kernels, sources and sinks available to a pipeline: the built-in ones, then those of its plug-ins.
class KernelRegistry {
 public:
  /// Throws ConfigError when the name is taken, or when a parameter has the name of a key of tasks, sources
  /// or sinks.
  void add(KernelKind kind);
  void add_source(SourceKind kind);
  void add_sink(SinkKind kind);
  /// Returns null if no kind has this name.
  [[nodiscard]] const KernelKind* find(std::string_view name) const;
  [[nodiscard]] const std::vector<KernelKind>& kinds() const { return kinds_; }
  [[nodiscard]] const SourceKind* find_source(std::string_view name) const;
  [[nodiscard]] const std::vector<SourceKind>& sources() const { return sources_; }
  [[nodiscard]] const SinkKind* find_sink(std::string_view name) const;
  [[nodiscard]] const std::vector<SinkKind>& sinks() const { return sinks_; }

  /// Loads a shared library and lets it register its kinds; it stays loaded until the program ends. Throws
  /// ConfigError with the loader's reason, when it does not export `takt_register_kernels`, or when it was
  /// built against another kernel interface.
  void load_plugin(const std::string& path);

  /// Returns a registry with all built-in kernels, sources and sinks.
  [[nodiscard]] static KernelRegistry with_built_in_kernels();

 private:
  std::vector<KernelKind> kinds_;
  std::vector<SourceKind> sources_;
  std::vector<SinkKind> sinks_;
};

/// Version of all declarations in this header. load_plugin compares it with the number compiled into the
/// plug-in.
extern "C" {
[[gnu::used]] inline constexpr unsigned takt_kernel_interface = 13;
}

}  // namespace takt::pipeline
