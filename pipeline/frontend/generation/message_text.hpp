#pragma once
/// The text in C and C++ with which generated programs send, receive, repeat and measure.

#include <array>
#include <string_view>

namespace takt::frontend {

/// Messages are copied when they are sent, so that a rank may go on, also with an update of the same section,
/// before the receiver is ready.
inline constexpr std::string_view message_text = R"(
/* A part of an array: rows of bytes whose first bytes are pitch apart. */
struct section {
  void *at;
  size_t rows, bytes, pitch;
};
#define SECTION(array) {&(array), 1, sizeof(array), 0}
#define RUN(first, count) {&(first), 1, (count) * sizeof(first), 0}
#define TILE(first, rows, columns, pitch) {&(first), rows, (columns) * sizeof(first), (pitch) * sizeof(first)}
#define BYTES(first, rows, bytes, pitch) {first, rows, bytes, pitch}

/* Messages between two ranks have tags of their own, which count from 0. */
#define SEND(rank, tag, ...) send_sections(rank, tag, SECTIONS(__VA_ARGS__))
#define RECEIVE(rank, tag, ...) receive_sections(rank, tag, SECTIONS(__VA_ARGS__))

/* A message on its way. */
struct message {
  MPI_Request request;
  void *buffer;
  struct message *next;
};
static struct message *messages;

static void *allocate(size_t bytes) {
  void *memory = malloc(bytes > 0 ? bytes : 1);
  if (memory == NULL) {
    fprintf(stderr, "no memory for %zu bytes\n", bytes);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return memory;
}

static size_t size_of(size_t count, const struct section *sections) {
  size_t bytes = 0;
  for (size_t i = 0; i < count; i++) bytes += sections[i].rows * sections[i].bytes;
  return bytes;
}

/* Frees the buffers of messages that have left; waits for all of them at the end. */
static void free_messages(int at_end) {
  struct message **link = &messages;
  while (*link != NULL) {
    struct message *message = *link;
    int has_left = 1;
    if (at_end)
      MPI_Wait(&message->request, MPI_STATUS_IGNORE);
    else
      MPI_Test(&message->request, &has_left, MPI_STATUS_IGNORE);
    if (!has_left) {
      link = &message->next;
      continue;
    }
    *link = message->next;
    free(message->buffer);
    free(message);
  }
}

static void send_sections(int rank, int tag, size_t count, const struct section *sections) {
  const size_t bytes = size_of(count, sections);
  struct message *message = (struct message *)allocate(sizeof *message);
  char *to = (char *)(message->buffer = allocate(bytes));
  for (size_t i = 0; i < count; i++)
    for (size_t row = 0; row < sections[i].rows; row++, to += sections[i].bytes)
      memcpy(to, (char *)sections[i].at + row * sections[i].pitch, sections[i].bytes);
  free_messages(0);
  MPI_Isend(message->buffer, (int)bytes, MPI_BYTE, rank, tag, MPI_COMM_WORLD, &message->request);
  message->next = messages;
  messages = message;
}

static void receive_sections(int rank, int tag, size_t count, const struct section *sections) {
  const size_t bytes = size_of(count, sections);
  if (count == 1 && sections->rows == 1) {
    MPI_Recv(sections->at, (int)bytes, MPI_BYTE, rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return;
  }
  char *buffer = (char *)allocate(bytes), *from = buffer;
  MPI_Recv(buffer, (int)bytes, MPI_BYTE, rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (size_t i = 0; i < count; i++)
    for (size_t row = 0; row < sections[i].rows; row++, from += sections[i].bytes)
      memcpy((char *)sections[i].at + row * sections[i].pitch, from, sections[i].bytes);
  free(buffer);
}
)";

/// Passes lists of sections to the functions above.
inline constexpr std::string_view lists_in_c = R"(
#define SECTIONS(...) sizeof((struct section[]){__VA_ARGS__}) / sizeof(struct section), (struct section[]){__VA_ARGS__}
)";
inline constexpr std::string_view lists_in_cpp = R"(
#define SECTIONS(...) {__VA_ARGS__}
static void send_sections(int rank, int tag, std::initializer_list<section> list) {
  send_sections(rank, tag, list.size(), list.begin());
}
static void receive_sections(int rank, int tag, std::initializer_list<section> list) {
  receive_sections(rank, tag, list.size(), list.begin());
}
)";

/// Sends of repeated programs end when they are received, which bounds the memory of messages.
inline constexpr std::string_view repeating_helpers = R"(
static struct message *earlier_messages;

/* Ends the work on an input: waits until the messages about the input before it have been received, so that this rank is
   at most two inputs ahead of those that it sends to. */
static void next_input(void) {
  struct message *latest = messages;
  messages = earlier_messages;
  free_messages(1);
  earlier_messages = latest;
  messages = NULL;
}
)";

/// Measured programs exchange all messages once before the time begins: the first use of memory by the
/// program, the system and MPI takes longer than the message.
inline constexpr std::string_view warm_up_helpers = R"(
/* The ranks exchange their messages without the calls. */
static int warming_up;

/* Keeps the memory of freed buffers, so that the next ones are in place. */
static void keep_memory(void) {
#ifdef M_TRIM_THRESHOLD
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}
)";

inline constexpr std::string_view timing_helpers = R"(
/* Time of this rank in its calls, and in sends and receives, with what it waits there. */
static double computing, communicating;
#define TIMED(sum, statement)              \
  do {                                     \
    const double takt_start = MPI_Wtime(); \
    statement;                             \
    sum += MPI_Wtime() - takt_start;       \
  } while (0)
)";

/// Names of the helpers. If the program has one of them, all get a prefix.
inline constexpr auto helper_names = std::to_array<std::string_view>(
    {"section",          "SECTION",    "RUN",           "TILE",          "BYTES",
     "SECTIONS",         "SEND",       "RECEIVE",       "message",       "messages",
     "allocate",         "size_of",    "free_messages", "send_sections", "receive_sections",
     "earlier_messages", "next_input", "computing",     "communicating", "TIMED",
     "warming_up",       "keep_memory"});

}  // namespace takt::frontend
