#include "pipeline/c_program/output_sink.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/saved_state.hpp"
#include "pipeline/c_program/calls.hpp"
#include "pipeline/file_parameters.hpp"
#include "sensors/files/output_series.hpp"

namespace takt::pipeline {

namespace {

/// Keeps what this process prints on stdout, also through file descriptor 1.
class PrintedText {
 public:
  /// Throws WorkError.
  PrintedText()
      : file_(::memfd_create("takt-printed", MFD_CLOEXEC)), own_(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)) {
    if (file_ < 0 || own_ < 0)
      throw WorkError(fmt::format("cannot redirect stdout: {}", std::strerror(errno)));
  }
  PrintedText(const PrintedText&) = delete;
  PrintedText& operator=(const PrintedText&) = delete;
  ~PrintedText() {
    ::close(file_);
    ::close(own_);
  }

  /// Returns what `action` prints; valid until the next call.
  template <class Action>
  std::span<const std::byte> of(const Action& action) {
    {
      const Redirection redirection(*this);
      action();
    }
    const off_t size = ::lseek(file_, 0, SEEK_CUR);
    text_.resize(static_cast<std::size_t>(std::max<off_t>(0, size)));
    if (::pread(file_, text_.data(), text_.size(), 0) != size || ::ftruncate(file_, 0) != 0 ||
        ::lseek(file_, 0, SEEK_SET) != 0)
      throw WorkError(fmt::format("cannot read what the program printed: {}", std::strerror(errno)));
    return text_;
  }

 private:
  class Redirection {
   public:
    explicit Redirection(const PrintedText& text) : own_(text.own_) {
      std::fflush(stdout);
      ::dup2(text.file_, STDOUT_FILENO);
    }
    Redirection(const Redirection&) = delete;
    Redirection& operator=(const Redirection&) = delete;
    ~Redirection() {
      std::fflush(stdout);
      ::dup2(own_, STDOUT_FILENO);
    }

   private:
    int own_;
  };

  int file_, own_;
  std::vector<std::byte> text_;
};

class OutputSink final : public sensors::Sink {
 public:
  OutputSink(const takt_call& call, sensors::OutputOptions options)
      : call_(call), memory_(1, Bytes{call.out_bytes}), series_(std::move(options)) {}

  void open() override { series_.open(); }
  void write(const FrameView& frame) override {
    void* const in = const_cast<std::byte*>(frame.bytes.data());
    const std::span<const std::byte> text = printed_.of([&] { call_.run(&in, memory_.frame(0).data()); });
    (void)series_.turn_to(*frame.header, text.size());
    if (!text.empty()) series_.append({text});
  }
  void close() override { series_.close(); }
  void note(const std::string& line) override { series_.note(line); }
  void begin_file() override { series_.begin_file(); }
  [[nodiscard]] std::optional<std::vector<std::byte>> save() const override {
    StateWriter state;
    series_.save(state);
    return state.take();
  }
  void resume(std::span<const std::byte> state) override {
    StateReader reader(state);
    series_.resume(reader);
    reader.end();
  }
  void use_output_book(const sensors::OutputBook& book) override { series_.use_output_book(book); }
  [[nodiscard]] std::string location() const override { return series_.location(); }
  [[nodiscard]] std::vector<std::string> warnings() const override { return series_.warnings(); }

 private:
  const takt_call& call_;
  /// What printing calls write for each other.
  sensors::FrameMemory memory_;
  PrintedText printed_;
  sensors::OutputSeries series_;
};

}  // namespace

SinkKind output_sink(const std::string& path) {
  return {.name = "c_output",
          .summary = "a text file of what the calls of a C program print",
          .parameters = call_parameters(path, "output", file_parameters({})),
          .make = [](const Parameters& parameters, const FrameType& input) -> std::unique_ptr<sensors::Sink> {
            const takt_call& call = call_of(parameters);
            check_inputs(call, std::span(&input, 1));
            return std::make_unique<OutputSink>(call, output_options(parameters));
          }};
}

}  // namespace takt::pipeline
