#include "pipeline/c_program/input_source.hpp"

#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

#include "core/system/clock.hpp"
#include "pipeline/c_program/calls.hpp"

namespace takt::pipeline {

namespace {

using sensors::SourceState;

class InputSource final : public sensors::Source {
 public:
  InputSource(const takt_call& call, std::string file, std::uint32_t index)
      : call_(call), file_(std::move(file)), type_(frame_of_bytes(call.out_bytes)), index_(index) {}

  [[nodiscard]] const FrameType& type() const override { return type_; }

  void start() override {
    memory_.emplace(1, type_.size());
    if (std::freopen(file_.c_str(), "r", stdin) == nullptr)
      throw ConfigError(fmt::format("{}: cannot read the file: {}", file_, std::strerror(errno)));
  }

  [[nodiscard]] SourceState poll(FrameView& frame) override {
    if (is_stopped_ || is_at_end()) return SourceState::ended;
    call_.run(nullptr, memory_->frame(0).data());
    header_ = {.sequence = frames_.value(),
               .first_sample = frames_.value(),
               .ingested_ns = now_ns(),
               .parts = 1,
               .source = static_cast<std::uint16_t>(index_)};
    frames_.add();
    frame = {&header_, memory_->frame(0)};
    return SourceState::frame;
  }

  void release() override {}
  void stop() override { is_stopped_ = true; }
  [[nodiscard]] sensors::SourceCounters counters() const override { return {.ingested = frames_.value()}; }

 private:
  /// Reports whether only white space follows, which belongs to the input if anything else comes after it.
  [[nodiscard]] bool is_at_end() const {
    int letter = std::fgetc(stdin);
    if (letter == EOF) return true;
    if (std::isspace(letter) == 0) return std::ungetc(letter, stdin) == EOF;
    const long place = std::ftell(stdin) - 1;
    if (place < 0) throw ConfigError(fmt::format("{}: expected a file, which has positions", file_));
    while (letter != EOF && std::isspace(letter) != 0) letter = std::fgetc(stdin);
    if (letter == EOF) return true;
    return std::fseek(stdin, place, SEEK_SET) != 0;
  }

  const takt_call& call_;
  std::string file_;
  FrameType type_;
  std::uint32_t index_;
  std::optional<sensors::FrameMemory> memory_;
  FrameHeader header_;
  bool is_stopped_ = false;
  sensors::Tally frames_;
};

}  // namespace

SourceKind input_source(const std::string& path) {
  return {.name = "c_input",
          .summary = "what the calls of a C program read from a file as stdin",
          .parameters = call_parameters(path, "input",
                                        {{.name = "file",
                                          .type = ParameterType::input_file,
                                          .help = "the successive inputs, which the calls read as stdin"}}),
          .make = [](const Parameters& parameters, std::uint32_t index) -> std::unique_ptr<sensors::Source> {
            return std::make_unique<InputSource>(call_of(parameters), parameters.text("file"), index);
          },
          // As fast as frames are consumed.
          .pace = [](const Parameters&) { return 0.0; }};
}

}  // namespace takt::pipeline
