#include "pipeline/kernels/python.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "pipeline/kernel_state.hpp"
#include "pipeline/kernels/frame_group.hpp"
#include "pipeline/kernels/frame_shapes.hpp"
#include "pipeline/python/python_process.hpp"
#include "pipeline/stages/frame_types.hpp"
#include "pipeline/watching/activity.hpp"
#include "sensors/frames/missing_values.hpp"

namespace takt::pipeline {

namespace {

using Json = nlohmann::json;

/// As unpacked by host.py.
constexpr std::size_t header_room = 128, alignment = 64;
constexpr double most_elements = 2147483648.0;
/// Grace period of a script for its remaining work after a stop request.
constexpr Time grace{2'000'000'000};
static_assert(sizeof(FrameHeader) <= header_room && offsetof(FrameHeader, missing_parts) == 36 &&
              offsetof(FrameHeader, epoch) == 54 && offsetof(FrameHeader, side) == 64);

std::size_t rounded_up(std::size_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

Json described(const FrameType& type) {
  Json axes = Json::array(), side = Json::array();
  for (const Axis& axis : type.axes)
    axes.push_back({{"name", axis.name}, {"size", axis.size}, {"coordinates", axis.coordinates}});
  for (const sensors::SideField& field : type.side) side.push_back(field.name);
  return {{"element", std::string(name_of(type.element))},
          {"axes", axes},
          {"rate_hz", type.rate_hz},
          {"unit", type.unit},
          {"parts", type.parts},
          {"side", side}};
}

class Python final : public Kernel {
 public:
  explicit Python(const Parameters& parameters)
      : parameters_(parameters),
        frames_(static_cast<std::size_t>(parameters.integer("frames"))),
        limit_(parameters.time("timeout")),
        group_(frames_) {}

  FrameType configure(std::span<const FrameType> inputs) override {
    start();
    Json request{{"do", "load"},
                 {"file", parameters_.text("file")},
                 {"function", parameters_.text("function")},
                 {"parameters", parameters_.texts("parameters")},
                 {"frames", frames_},
                 {"inputs", Json::array()},
                 {"output", nullptr}};
    for (const FrameType& input : inputs) request["inputs"].push_back(described(input));
    if (inputs.size() > 1 && parameters_.boolean("same_time")) one_time_.require(inputs);
    if (const std::optional<FrameType> declared = declared_output(inputs.front())) {
      request["output"] = described(*declared);
      request["output"]["rate_hz"] = nullptr;
    }
    const Json answer = asked(request);
    keeps_ = answer.at("keeps").get<bool>();
    output_ = output_type(answer.at("output"), inputs.front());
    if (inputs.front().rate_hz > 0) frame_s_ = 1 / inputs.front().rate_hz;
    // Invalid sizes are rejected where types are inferred.
    double bytes = 1;
    for (const Axis& axis : output_.axes) bytes *= static_cast<double>(axis.size);
    if (bytes > 0 && bytes < most_elements) {
      lay_out(inputs);
      if (parameters_.boolean("trial")) try_script();
    }
    return output_;
  }

  [[nodiscard]] bool is_stateless() const override { return !keeps_; }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const FrameHeader& header = *inputs.front().header;
    const auto take = [&] {
      for (std::size_t i = 0; i < inputs.size(); ++i) hand_in(inputs[i], places_[i]);
      return step('p') == 'f';
    };
    if (frames_ == 1) return given_alone(header, take(), inputs, output);
    const bool is_given = group_.add(
        header,
        [&] {
          if (take())
            throw WorkError(
                fmt::format("{}: {} returned a frame while frames are combined: expected None, and the frame "
                            "from finish()",
                            parameters_.text("file"), parameters_.text("function")));
        },
        [&] { (void)give_group(output, false); });
    return is_given ? Outcome::produced : Outcome::absorbed;
  }

  Outcome finish(const FrameBuffer& output) override {
    if (was_stopped_) return Outcome::absorbed;
    if (frames_ > 1) {
      if (group_.count() == 0) return Outcome::absorbed;
      return give_group(output, true) ? Outcome::produced : Outcome::absorbed;
    }
    if (!keeps_ || !follows_) return Outcome::absorbed;
    const char answer = step('e', true);
    if (answer == 'n' || answer == PythonProcess::was_stopped) return Outcome::absorbed;
    *output.header = next_;
    advance();
    hand_out(output);
    return answer == 'g' ? Outcome::more : Outcome::produced;
  }

  bool change(const Parameters& parameters) override {
    parameters_ = parameters;
    limit_ = parameters.time("timeout");
    (void)asked({{"do", "change"}, {"parameters", parameters_.texts("parameters")}});
    return true;
  }

  /// Returns the pickled state of the script's object, after the state of this kernel.
  [[nodiscard]] std::optional<std::vector<std::byte>> save() const override {
    if (!keeps_) return std::nullopt;
    const Json answer = asked({{"do", "save"}});
    if (!answer.contains("state")) return std::nullopt;
    const std::string text = answer.at("state").get<std::string>();
    StateWriter writer;
    writer.add(group_).add(next_).add(waiting_).add(follows_);
    std::vector<std::byte> state = writer.take();
    const auto* const first = reinterpret_cast<const std::byte*>(text.data());
    state.insert(state.end(), first, first + text.size());
    return state;
  }

  void load(std::span<const std::byte> state) override {
    const std::size_t own = sizeof(group_) + sizeof(next_) + sizeof(waiting_) + sizeof(follows_);
    if (state.size() < own) throw WorkError("the saved state is not of a Python kernel");
    load_into(state.first(own), group_, next_, waiting_, follows_);
    const std::string text(reinterpret_cast<const char*>(state.data()) + own, state.size() - own);
    (void)asked({{"do", "restore"}, {"state", text}});
  }

 private:
  void start() {
    try {
      process_ = std::make_unique<PythonProcess>(parameters_.text("interpreter"), parameters_.text("file"));
    } catch (const ConfigError& error) {
      parameters_.refuse("interpreter", error.message());
    }
  }

  /// Importing numpy takes long on a busy disk or processor.
  [[nodiscard]] Time limit_of_start() const { return std::max(limit_, Time{30'000'000'000}); }

  /// Sends a request; errors of the script, or of the user, are thrown at the parameter's place.
  Json asked(const Json& request) const {
    Json answer;
    try {
      answer = Json::parse(process_->ask(request.dump(), limit_of_start()));
    } catch (const WorkError& error) {
      parameters_.refuse("file", error.what());
    }
    if (!answer.contains("error")) return answer;
    const auto about = answer.at("about").get<std::string>();
    if (!answer.contains("unknown")) parameters_.refuse(about, answer.at("error").get<std::string>());
    const auto known = answer.at("known").get<std::vector<std::string>>();
    parameters_.refuse(
        about,
        fmt::format("{}{}",
                    unknown_name(about == "function" ? "function" : "parameter",
                                 answer.at("unknown").get<std::string>(), {known.begin(), known.end()}),
                    about == "function" ? fmt::format(" in {}", parameters_.text("file")) : ""));
  }

  /// Returns the output type from the pipeline file, if set.
  std::optional<FrameType> declared_output(const FrameType& input) const {
    const std::string element = parameters_.text("element");
    const std::vector<Axis> axes = axes_of(parameters_);
    if (element.empty() && axes.empty()) return std::nullopt;
    FrameType type = input;
    if (!element.empty()) type.element = *sensors::find_element(element);
    if (!axes.empty()) type.axes = axes;
    return type;
  }

  FrameType output_type(const Json& described_type, const FrameType& input) {
    FrameType type;
    type.element = *sensors::find_element(described_type.at("element").get<std::string>());
    for (const Json& axis : described_type.at("axes"))
      type.axes.push_back({axis.at("name").get<std::string>(), axis.at("size").get<std::size_t>(),
                           axis.at("coordinates").get<std::vector<double>>()});
    type.unit = described_type.at("unit").get<std::string>();
    const Json& rate = described_type.at("rate_hz");
    type.rate_hz = rate.is_null() ? input.rate_hz / static_cast<double>(frames_) : rate.get<double>();
    type.side = input.side;
    type.start_s = input.start_s;
    type.has_gaps = input.has_gaps;
    is_masked_ = described_type.value("masked", false);
    if (is_masked_)
      for (const Axis& axis : type.axes) type.parts.push_back(axis.size);
    // Outputs of integers with the input's shape have the same missing parts.
    else if (frames_ == 1 && !sensors::is_floating(type.element) && type.axes == input.axes)
      type.parts = input.parts;
    return type;
  }

  void lay_out(std::span<const FrameType> inputs) {
    std::size_t end = 0;
    for (const FrameType& input : inputs) {
      places_.push_back(end + header_room);
      end = rounded_up(places_.back() + input.size().count);
    }
    output_place_ = end;
    memory_ = process_->share(end + rounded_up(output_.size().count));
    (void)asked({{"do", "map"}, {"bytes", memory_.size()}, {"inputs", places_}, {"output", output_place_}});
  }

  /// Runs the script once, to report errors of the first frame early. A run that exceeds the deadline of a
  /// frame is ignored here and reported when it is measured.
  void try_script() const {
    const auto seconds = std::ceil(std::min(std::chrono::duration<double>(limit_).count(), 10.0));
    (void)asked({{"do", "trial"}, {"seconds", static_cast<int>(seconds)}});
  }

  void hand_in(const FrameView& frame, std::size_t place) {
    std::memcpy(memory_.data() + place - header_room, frame.header, sizeof(FrameHeader));
    std::memcpy(memory_.data() + place, frame.bytes.data(), frame.bytes.size());
  }

  /// `flags`: missing parts, if the output has flags.
  void hand_out(const FrameBuffer& output, const std::byte* flags = nullptr) {
    const std::size_t bytes = output_.data_size().count;
    std::memcpy(output.bytes.data(), memory_.data() + output_place_, bytes);
    if (is_masked_) {
      const std::span masked = memory_.subspan(output_place_ + bytes, output_.flag_count());
      std::ranges::copy(masked, output.bytes.begin() + static_cast<std::ptrdiff_t>(bytes));
      output.header->parts = static_cast<std::uint32_t>(masked.size());
      output.header->missing_parts = static_cast<std::uint32_t>(std::ranges::count(masked, std::byte{1}));
      return;
    }
    if (flags != nullptr)
      std::memcpy(output.bytes.data() + bytes, flags, output_.flag_count());
    else
      std::ranges::fill(output.bytes.subspan(bytes), std::byte{0});
    const bool is_missing = sensors::find_nan(output_, output.bytes.first(bytes));
    if (is_missing && output.header->missing_parts == 0) mark_incomplete(*output.header);
  }

  /// `may_stop`: a stop request from now on ends the call before it is answered.
  char step(char letter, bool may_stop = false) {
    std::string text;
    const char answer = process_->step(letter, limit_, text, may_stop ? std::optional(grace) : std::nullopt);
    if (answer == PythonProcess::was_stopped) {
      was_stopped_ = true;
      const char* const task = current_activity().task;
      fmt::print(stderr,
                 "task '{}': finish() of {} did not return within {} of the request to stop, and was ended: "
                 "its remaining output is lost\n",
                 task != nullptr ? task : "", parameters_.text("function"), takt::to_string(grace));
      return answer;
    }
    if (answer != 'j') {
      has_answered_ = true;
      return answer;
    }
    const auto error = Json::parse(text).at("error").get<std::string>();
    // If a script fails on its first frame, it does not fit the pipeline.
    if (!has_answered_) parameters_.refuse("file", error);
    throw WorkError(error);
  }

  Outcome given_alone(const FrameHeader& header, bool is_given, std::span<const FrameView> inputs,
                      const FrameBuffer& output) {
    follows_ = true;
    next_ = header;
    if (inputs.size() > 1) one_time_.merge(inputs, next_);
    if (!is_given) {
      // The next output frame also counts for these inputs.
      waiting_.combined += next_.combined;
      waiting_.parts += next_.parts;
      waiting_.missing_parts += next_.missing_parts;
      return Outcome::absorbed;
    }
    *output.header = next_;
    output.header->combined += waiting_.combined;
    output.header->parts += waiting_.parts;
    output.header->missing_parts += waiting_.missing_parts;
    waiting_ = {};
    hand_out(output,
             output_.parts.empty() ? nullptr : inputs.front().bytes.data() + output_.data_size().count);
    advance();
    return Outcome::produced;
  }

  /// Frames at the end follow the last output or input frame.
  void advance() {
    next_.utc_ns += std::llround(frame_s_ * 1e9);
    next_.first_sample += next_.parts;
    ++next_.sequence;
  }

  /// Returns false if the user stopped the wait.
  bool give_group(const FrameBuffer& output, bool is_last) {
    if (step('r', is_last) == PythonProcess::was_stopped) return false;
    *output.header = group_.take();
    hand_out(output);
    return true;
  }

  struct Waiting {
    std::uint32_t combined = 0, parts = 0, missing_parts = 0, unused = 0;
  };

  Parameters parameters_;
  std::size_t frames_;
  Time limit_;
  FrameGroup group_;
  std::unique_ptr<PythonProcess> process_;
  FrameType output_;
  OneTime one_time_;
  /// True if the script marks missing integers.
  bool is_masked_ = false;
  /// True if its process was ended during `finish` at the user's request.
  bool was_stopped_ = false;
  bool keeps_ = false, follows_ = false, has_answered_ = false;
  /// Period of the input's frames; 0 if unknown.
  double frame_s_ = 0;
  std::span<std::byte> memory_;
  /// Offsets of each input's elements in shared memory; its header precedes them.
  std::vector<std::size_t> places_;
  std::size_t output_place_ = 0;
  FrameHeader next_;
  Waiting waiting_;
};

}  // namespace

KernelKind python_kernel() {
  std::vector<std::string> elements;
  for (const ElementType element :
       {ElementType::int8, ElementType::uint8, ElementType::int16, ElementType::uint16, ElementType::int32,
        ElementType::float32, ElementType::float64, ElementType::complex_int8, ElementType::complex_uint8,
        ElementType::complex_int16, ElementType::complex_uint16, ElementType::complex_float32})
    elements.emplace_back(name_of(element));
  return {.name = "python",
          .summary =
              "a function or class of a Python script with numpy, for experiments: slower than other kernels",
          .stateless = false,
          .more_inputs = true,
          .parameters = {{.name = "file", .type = ParameterType::input_file, .help = "the script"},
                         {.name = "function",
                          .fallback = "process",
                          .help = "name of the function, or of the class of the callable object"},
                         {.name = "parameters",
                          .type = ParameterType::texts,
                          .fallback = "",
                          .help = "further arguments: name=value, in Python syntax",
                          .may_change = true},
                         {.name = "element",
                          .fallback = "",
                          .help = "type of the output's elements; none: set by the script, or as the input",
                          .choices = elements},
                         {.name = "axes",
                          .type = ParameterType::texts,
                          .fallback = "",
                          .help = "name=size of each axis of the output, or name=size:first:step; none: set "
                                  "by the script, or as the input"},
                         {.name = "frames",
                          .type = ParameterType::integer,
                          .fallback = "1",
                          .help = "number of frames per output frame, which finish() of a class returns",
                          .minimum = 1,
                          .maximum = 1e9},
                         {.name = "same_time",
                          .type = ParameterType::boolean,
                          .fallback = "true",
                          .help = "whether several inputs must have equal times, sample by sample"},
                         {.name = "timeout",
                          .type = ParameterType::time,
                          .fallback = "5 s",
                          .help = "longest time per frame: the run fails if the script takes longer",
                          .minimum = 1e6},
                         {.name = "trial",
                          .type = ParameterType::boolean,
                          .fallback = "true",
                          .help = "whether it is tested with a frame of noise when the pipeline is read"},
                         {.name = "interpreter",
                          .fallback = "python3",
                          .help = "Python interpreter: a path, or a name in PATH"}},
          .make = make_from<Python>};
}

}  // namespace takt::pipeline
