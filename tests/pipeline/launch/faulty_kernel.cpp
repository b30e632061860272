/// A plug-in with one kernel whose fault, time and function are parameters.

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pipeline/kernel.hpp"

namespace {

using namespace takt::pipeline;

std::string_view rank_of_process() {
  const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
  return rank == nullptr ? "" : rank;
}

/// Returns whether this process measures: after a restart, ranks use the plan of the previous run.
bool measures() {
  const char* const folder = std::getenv("TAKT_RESTART");
  std::error_code ignored;
  return folder == nullptr ||
         std::filesystem::file_size(std::filesystem::path(folder) / "plan", ignored) == 0;
}

/// Returns the purpose of the kernel object. A process creates two to check the pipeline's file (the second
/// one computes how often frames are produced). Rank 0 creates one to produce sample frames and one to be
/// measured, and a rank with the task creates one to run.
std::string_view purpose_of_next_kernel() {
  static int made = 0;
  ++made;
  if (made <= 2) return rank_of_process().empty() ? "launching" : "loading";
  return made <= 4 && rank_of_process() == "0" && measures() ? "measuring" : "running";
}

/// Ends when the stack overflows, long before its depth; the volatile array
/// prevents the compiler from making a loop of it.
// NOLINTNEXTLINE(misc-no-recursion)
int overflow_the_stack(int depth) {
  std::array<volatile char, 4096> frame{};
  frame[static_cast<std::size_t>(depth) % frame.size()] = 1;
  return depth < 1'000'000'000 ? overflow_the_stack(depth + 1) + frame[0] : 0;
}

/// Starts a process detached from this one, and continues.
void leave_a_process(bool is_of_another_program) {
  if (::fork() != 0) return;
  ::setsid();
  std::fprintf(stderr, "asleep %d\n", ::getpid());
  std::fflush(stderr);
  if (is_of_another_program) {
    std::array<char, 6> name{"sleep"};
    std::array<char, 4> seconds{"300"};
    std::array<char*, 3> words{name.data(), seconds.data(), nullptr};
    std::array<char*, 1> nothing{nullptr};
    ::execve("/bin/sleep", words.data(), nothing.data());
  }
  ::sleep(300);
  ::_exit(0);
}

/// Starts a process that ends like a C program, and waits for it.
void end_a_child() {
  const pid_t child = ::fork();
  if (child == 0) std::exit(0);
  ::waitpid(child, nullptr, 0);
}

void go_wrong(std::string_view how) {
  if (how == "leave_a_process") leave_a_process(false);
  if (how == "leave_a_stranger") leave_a_process(true);
  if (how == "throw") throw std::runtime_error("the antenna fell over");
  if (how == "throw_number") throw 42;
  if (how == "throw_nothing") throw std::runtime_error("");
  if (how == "segfault") ::raise(SIGSEGV);
  if (how == "overflow") (void)overflow_the_stack(0);
  if (how == "abort") std::abort();
  if (how == "terminate") std::terminate();
  if (how == "exit") std::exit(0);
  if (how == "leave") ::_exit(0);
  if (how == "leave_quickly") std::quick_exit(3);
  if (how == "fork") end_a_child();
  if (how == "sleep") {
    std::fprintf(stderr, "asleep %d\n", ::getpid());
    ::sleep(300);
  }
}

class Faulty final : public Kernel {
 public:
  explicit Faulty(const Parameters& parameters)
      : purpose_(purpose_of_next_kernel()),
        when_(parameters.text("when")),
        where_(parameters.text("where")),
        how_(parameters.text("how")),
        at_(parameters.integer("at")) {
    pass("construction");
  }
  // NOLINTNEXTLINE(bugprone-exception-escape): the purpose of this test.
  ~Faulty() override { pass("destruction"); }

  FrameType configure(std::span<const FrameType> inputs) override {
    pass("configure");
    return inputs[0];
  }
  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    if (frames_++ >= at_) pass("process");
    if (how_ == "overrun") output.bytes.data()[output.bytes.size() + 2] = std::byte{1};
    if (how_ == "scribble") const_cast<std::byte*>(inputs[0].bytes.data())[3] ^= std::byte{1};
    std::copy(inputs[0].bytes.begin(), inputs[0].bytes.end(), output.bytes.begin());
    if (how_ == "overstate") output.header->combined += 2;
    return Outcome::produced;
  }
  Outcome finish(const FrameBuffer& /*output*/) override {
    pass("finish");
    return Outcome::absorbed;
  }

 private:
  void pass(std::string_view place) const {
    if (purpose_ == when_ && place == where_) go_wrong(how_);
  }

  std::string_view purpose_;
  std::string when_, where_, how_;
  std::int64_t at_;
  std::int64_t frames_ = 0;
};

}  // namespace

extern "C" void takt_register_kernels(KernelRegistry& registry) {
  registry.add({.name = "faulty",
                .summary = "goes wrong as told",
                .stateless = true,
                .parameters = {{.name = "when", .help = "launching, loading, measuring or running"},
                               {.name = "where", .help = "construction, configure, process, ..."},
                               {.name = "how", .help = "throw, segfault, exit, ..."},
                               {.name = "at",
                                .type = ParameterType::integer,
                                .fallback = "0",
                                .help = "how many frames go well before"}},
                .make = [](const Parameters& parameters) {
                  return std::unique_ptr<Kernel>(std::make_unique<Faulty>(parameters));
                }});
}
