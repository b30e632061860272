#include "pipeline/frontend/execution/message_times.hpp"

#include <algorithm>
#include <cstdint>
#include <sstream>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/system/text_file.hpp"
#include "pipeline/frontend/execution/build.hpp"

namespace takt::frontend {

namespace {

/// Rank 1 prints a line for each size: bytes, send, receive and whole time in nanoseconds. Both ranks leave a
/// barrier together, up to a fraction of a microsecond.
constexpr std::string_view benchmark = R"(
enum { most = 101 };
static const size_t sizes[] = {8, 64, 512, 2048, 4096, 16384, 65536, 262144, 1048576, 4194304};

/* That which other processes disturbed least. */
static double shortest(const double *times, int count) {
  double found = times[0];
  for (int i = 1; i < count; i++) found = times[i] < found ? times[i] : found;
  return found;
}

static void compute(double seconds) {
  for (const double start = MPI_Wtime(); MPI_Wtime() - start < seconds;) {
  }
}

int main(int argc, char **argv) {
  static char data[1 << 22];
  static double late[most], whole[most];
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  memset(data, 1, sizeof data);
  for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++) {
    const size_t bytes = sizes[size];
    const double begin = MPI_Wtime();
    int runs = 0;
    const double wait = 20e-6 + 1e-9 * (double)bytes;
    for (int i = 0, goes_on = 1; goes_on; i++) {
      const int is_late = i % 2;
      MPI_Barrier(MPI_COMM_WORLD);
      double start = MPI_Wtime();
      if (rank == 0) {
        SEND(1, 0, RUN(data[0], bytes));
        if (is_late) late[runs] = MPI_Wtime() - start;
        compute(3 * wait);
        free_messages(1);
      } else {
        if (is_late) compute(wait);
        if (is_late) start = MPI_Wtime();
        RECEIVE(0, 0, RUN(data[0], bytes));
        (is_late ? late : whole)[runs] = MPI_Wtime() - start;
      }
      runs += is_late;
      /* At least 21 runs; more of them within a tenth of a second. */
      if (is_late) goes_on = runs < most && (runs < 21 || MPI_Wtime() - begin < 0.1);
      MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    double send = shortest(late, runs);
    if (rank == 0) {
      MPI_Send(&send, 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
    } else {
      MPI_Recv(&send, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      printf("%zu %.0f %.0f %.0f\n", bytes, 1e9 * send, 1e9 * shortest(late, runs), 1e9 * shortest(whole, runs));
    }
  }
  MPI_Finalize();
  return 0;
}
)";

/// Straight lines through the points, from the first one's value below it, in the last one's slope above it.
logp::Cost through(const std::vector<MessageTime>& times, Time MessageTime::*value) {
  std::vector<logp::Cost::Segment> segments;
  for (std::size_t i = 0; i + 1 < times.size(); ++i) {
    const auto size = static_cast<double>(times[i].size.count),
               next = static_cast<double>(times[i + 1].size.count);
    const auto low = static_cast<double>((times[i].*value).count()),
               high = static_cast<double>((times[i + 1].*value).count());
    const double slope = (high - low) / (next - size);
    segments.push_back({i == 0 ? Bytes{0} : times[i].size, low - slope * size, slope});
  }
  return logp::Cost(std::move(segments)).at_least_zero();
}

}  // namespace

std::vector<MessageTime> measure_messages() {
  const TemporaryFolder folder;
  const std::filesystem::path output = folder.path() / "times.txt", errors = folder.path() / "errors.txt";
  write_files({{"messages.c", message_helpers() + std::string(benchmark)}}, folder.path(), false);
  build_with_mpi(folder.path() / "messages.c");
  if (const int code = run_program(folder.path(), "messages", 2, {.output = output, .errors = errors});
      code != 0)
    throw WorkError(fmt::format("the measurement of messages ended with exit code {}:\n{}", code,
                                read_text_file(errors)));
  return messages_from_text(read_text_file(output));
}

std::string to_text(const std::vector<MessageTime>& times) {
  std::string text;
  for (const MessageTime& time : times)
    text += fmt::format("{} {} {} {}\n", time.size.count, time.send.count(), time.receive.count(),
                        time.whole.count());
  return text;
}

std::vector<MessageTime> messages_from_text(std::string_view text) {
  std::istringstream lines{std::string(text)};
  std::vector<MessageTime> times;
  std::uint64_t size = 0;
  Time::rep send = 0, receive = 0, whole = 0;
  while (lines >> size >> send >> receive >> whole) {
    if (send < 0 || receive < 0 || whole < 0 || (!times.empty() && size <= times.back().size.count))
      throw ConfigError("times of messages: expected ascending sizes and times of at least 0");
    times.push_back({Bytes{size}, Time{send}, Time{receive}, Time{whole}});
  }
  if (!lines.eof() || times.size() < 2)
    throw ConfigError("times of messages: expected lines of SIZE SEND RECEIVE WHOLE, two or more");
  return times;
}

logp::Machine machine_with(const std::vector<MessageTime>& times, std::size_t processors) {
  std::vector<MessageTime> rising = times;
  for (std::size_t i = 1; i < rising.size(); ++i)
    for (Time MessageTime::*value : {&MessageTime::send, &MessageTime::receive, &MessageTime::whole})
      rising[i].*value = std::max(rising[i].*value, rising[i - 1].*value);
  // What of the whole time neither overhead explains; `whole` then is the latency.
  for (MessageTime& time : rising) time.whole = std::max(Time{0}, time.whole - time.send - time.receive);
  const logp::LinkCosts costs{.latency = through(rising, &MessageTime::whole),
                              .send_overhead = through(rising, &MessageTime::send),
                              .receive_overhead = through(rising, &MessageTime::receive)};
  return {Platform::uniform(processors), costs};
}

}  // namespace takt::frontend
