#pragma once
/// Records what one unit at a time reads and writes of named arrays (TAKT_SCHEDULE_CHECK=memory).

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>

namespace takt::tasking::schedule {

/// Makes the pages of the arrays inaccessible. Each instruction that uses them faults, is noted with the
/// bytes that it uses, and is executed alone (trap flag of the processor) while its pages are accessible: 5
/// to 10 us an instruction. A string instruction that copies or fills counts as one. x86-64 only.
///
/// Not seen: what the system reads or writes for the program (such calls fail with EFAULT), and what follows
/// the first byte of masked and gathering vector instructions.
///
/// Its own memory is never in the pages of an array, because handlers use it.
class alignas(4096) MemoryWatch {
 public:
  /// Begin and end of an array.
  using Range = std::pair<std::uintptr_t, std::uintptr_t>;

  static MemoryWatch& the();
  [[nodiscard]] static bool is_possible();

  /// The arrays do not change until `stop`. Throws std::bad_alloc; memory of a quarter of the arrays is
  /// reserved.
  void start(std::span<const Range> arrays);
  void stop();

  /// Of the thread that executes units: from now on its accesses are noted.
  void begin();
  void end();
  /// Hands over what has been noted (address, bytes, whether written) and forgets it. Not while it notes.
  void drain(const std::function<void(std::uintptr_t, std::size_t, bool)>& take);

  /// While it lives, nothing is noted, and everything is accessible. For the thread that executes units.
  class Pause {
   public:
    Pause();
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;
    ~Pause();

   private:
    bool was_on_;
  };

  /// For handlers of SIGSEGV and SIGBUS; `context` is their third argument. Returns whether it was caused
  /// here: then the instruction can go on.
  bool on_fault(const void* address, void* context);

 private:
  /// Which bytes of a page have been read and written, a bit each.
  struct Record {
    std::uint64_t read[64], written[64];
    bool is_used;
  };
  /// Adjacent pages of one protection.
  struct Pages {
    std::uintptr_t begin, end;
    int protection;
    std::size_t first_record;
  };
  friend struct Trap;

  void find_pages(std::span<const Range> arrays);
  void switch_access(bool is_allowed);
  [[nodiscard]] const Pages* pages_of(std::uintptr_t address) const;
  void note(std::uintptr_t address, std::size_t bytes, bool writes);
  void open(std::uintptr_t address);
  void close_opened();
  bool execute_string(void* context);

  std::span<Range> arrays_;
  std::span<Pages> pages_;
  std::span<Record> records_;
  std::span<std::uintptr_t> used_;
  std::size_t used_count_ = 0;
  /// Accessible while one instruction is executed.
  std::uintptr_t opened_[8] = {};
  std::size_t opened_count_ = 0;
  /// What that instruction has been noted with.
  Range noted_{};
  bool is_on_ = false;
};

}  // namespace takt::tasking::schedule
