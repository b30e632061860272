#include "pipeline/tasking/schedule/memory_watch.hpp"

#include <algorithm>
#include <bit>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <ucontext.h>

#include "pipeline/tasking/schedule/access_bytes.hpp"

namespace takt::tasking::schedule {

namespace {

constexpr std::uintptr_t page = 4096;
struct sigaction earlier_trap;

/// Memory of its own, zero at first, which is used page by page.
template <class T>
std::span<T> map(std::size_t count) {
  if (count == 0) return {};
  void* const memory = ::mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return {static_cast<T*>(memory), count};
}
template <class T>
void unmap(std::span<T>& memory) {
  if (!memory.empty()) ::munmap(memory.data(), memory.size_bytes());
  memory = {};
}

struct Mapping {
  std::uintptr_t begin, end;
  int protection;
};

std::vector<Mapping> mappings() {
  std::vector<Mapping> found;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0;
    char rights[5] = "";
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, rights) != 3) continue;
    const int protection = (rights[0] == 'r' ? PROT_READ : 0) | (rights[1] == 'w' ? PROT_WRITE : 0) |
                           (rights[2] == 'x' ? PROT_EXEC : 0);
    found.push_back({begin, end, protection});
  }
  return found;
}

}  // namespace

/// The end of an instruction that was executed alone.
struct Trap {
  static void handle(int, siginfo_t*, void* context);
};

MemoryWatch& MemoryWatch::the() {
  static MemoryWatch watch;
  return watch;
}

bool MemoryWatch::is_possible() {
#ifdef __x86_64__
  return true;
#else
  return false;
#endif
}

void MemoryWatch::find_pages(std::span<const Range> arrays) {
  std::vector<Range> merged;
  for (const auto& [begin, end] : arrays)
    if (begin < end) merged.emplace_back(begin / page * page, (end + page - 1) / page * page);
  std::ranges::sort(merged);
  std::vector<Pages> found;
  std::size_t records = 0;
  std::uintptr_t done = 0;
  const std::vector<Mapping> all = mappings();
  for (const auto& [first, end] : merged)
    for (const Mapping& each : all) {
      const std::uintptr_t from = std::max({first, each.begin, done}), to = std::min(end, each.end);
      if (from >= to || (each.protection & PROT_READ) == 0) continue;
      found.push_back({from, to, each.protection, records});
      records += (to - from) / page;
      done = to;
    }
  pages_ = map<Pages>(found.size());
  std::ranges::copy(found, pages_.begin());
  records_ = map<Record>(records);
  used_ = map<std::uintptr_t>(records);
}

void MemoryWatch::start(std::span<const Range> arrays) {
  arrays_ = map<Range>(arrays.size());
  std::ranges::copy(arrays, arrays_.begin());
  find_pages(arrays);
  struct sigaction own {};
  own.sa_sigaction = Trap::handle;
  own.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigaction(SIGTRAP, &own, &earlier_trap);
  // A program that ends in a unit writes its files first.
  static const bool is_registered = std::atexit([] { the().end(); }) == 0;
  (void)is_registered;
}

void MemoryWatch::stop() {
  if (arrays_.empty()) return;
  end();
  ::sigaction(SIGTRAP, &earlier_trap, nullptr);
  unmap(arrays_);
  unmap(pages_);
  unmap(records_);
  unmap(used_);
  used_count_ = 0;
}

void MemoryWatch::switch_access(bool is_allowed) {
  for (const Pages& each : pages_)
    ::mprotect(reinterpret_cast<void*>(each.begin), each.end - each.begin,
               is_allowed ? each.protection : PROT_NONE);
  opened_count_ = 0;
}

void MemoryWatch::begin() {
  is_on_ = true;
  switch_access(false);
}

void MemoryWatch::end() {
  if (!is_on_) return;
  switch_access(true);
  is_on_ = false;
}

MemoryWatch::Pause::Pause() : was_on_(the().is_on_) {
  the().end();
}

MemoryWatch::Pause::~Pause() {
  if (was_on_) the().begin();
}

const MemoryWatch::Pages* MemoryWatch::pages_of(std::uintptr_t address) const {
  for (const Pages& each : pages_)
    if (address >= each.begin && address < each.end) return &each;
  return nullptr;
}

void MemoryWatch::note(std::uintptr_t address, std::size_t bytes, bool writes) {
  for (const auto& [begin, end] : arrays_)
    for (std::uintptr_t at = std::max(address, begin); at < std::min(address + bytes, end); ++at) {
      const Pages* const pages = pages_of(at);
      if (pages == nullptr) continue;
      Record& record = records_[pages->first_record + (at - pages->begin) / page];
      const std::uintptr_t byte = at % page;
      (writes ? record.written : record.read)[byte / 64] |= std::uint64_t{1} << (byte % 64);
      if (record.is_used) continue;
      record.is_used = true;
      used_[used_count_++] = at / page * page;
    }
}

void MemoryWatch::drain(const std::function<void(std::uintptr_t, std::size_t, bool)>& take) {
  // Runs of bytes, over the ends of words.
  const auto report = [&](const std::uint64_t* bits, std::uintptr_t base, bool writes) {
    std::size_t begin = 0;
    const auto at = [&](std::size_t byte) {
      return byte < page && (bits[byte / 64] >> (byte % 64) & 1U) != 0;
    };
    while (begin < page) {
      if (begin % 64 == 0 && bits[begin / 64] == 0) {
        begin += 64;
        continue;
      }
      std::size_t end = begin;
      while (at(end)) ++end;
      if (end > begin) take(base + begin, end - begin, writes);
      begin = end + 1;
    }
  };
  for (std::size_t i = 0; i < used_count_; ++i) {
    const Pages* const pages = pages_of(used_[i]);
    Record& record = records_[pages->first_record + (used_[i] - pages->begin) / page];
    report(record.read, used_[i], false);
    report(record.written, used_[i], true);
    record = {};
  }
  used_count_ = 0;
}

void MemoryWatch::open(std::uintptr_t address) {
  const std::uintptr_t begin = address / page * page;
  ::mprotect(reinterpret_cast<void*>(begin), page, pages_of(address)->protection);
  opened_[opened_count_++] = begin;
}

void MemoryWatch::close_opened() {
  for (std::size_t i = 0; i < opened_count_; ++i)
    ::mprotect(reinterpret_cast<void*>(opened_[i]), page, PROT_NONE);
  opened_count_ = 0;
  noted_ = {};
}

#ifdef __x86_64__

namespace {

constexpr greg_t trap_flag = 0x100, direction_flag = 0x400;
/// Of the fault's error code (Intel, volume 3, section 4.7).
constexpr greg_t is_write = 2;

greg_t* registers_of(void* context) {
  return static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
}

const unsigned char* code_of(void* context) {
  return reinterpret_cast<const unsigned char*>(registers_of(context)[REG_RIP]);
}

}  // namespace

void Trap::handle(int, siginfo_t*, void* context) {
  MemoryWatch& watch = MemoryWatch::the();
  if (watch.opened_count_ == 0) {
    ::sigaction(SIGTRAP, &earlier_trap, nullptr);
    return;
  }
  watch.close_opened();
  registers_of(context)[REG_EFL] &= ~trap_flag;
}

/// A repeated copy or fill, in place of the processor, which would trap after each element.
bool MemoryWatch::execute_string(void* context) {
  greg_t* const registers = registers_of(context);
  const StringInstruction one = string_instruction(code_of(context));
  if (one.length == 0 || !one.repeats || (registers[REG_EFL] & direction_flag) != 0) return false;
  auto* to = reinterpret_cast<char*>(registers[REG_RDI]);
  const auto* from = reinterpret_cast<const char*>(one.copies ? registers[REG_RSI] : 0);
  const auto value = registers[REG_RAX];
  const std::size_t bytes = one.element * static_cast<std::size_t>(registers[REG_RCX]);
  if (one.copies) note(reinterpret_cast<std::uintptr_t>(from), bytes, false);
  note(reinterpret_cast<std::uintptr_t>(to), bytes, true);
  switch_access(true);
  for (std::size_t i = 0; i < bytes; i += one.element)
    std::memcpy(to + i, one.copies ? from + i : reinterpret_cast<const char*>(&value), one.element);
  switch_access(false);
  if (one.copies) registers[REG_RSI] += static_cast<greg_t>(bytes);
  registers[REG_RDI] += static_cast<greg_t>(bytes);
  registers[REG_RCX] = 0;
  registers[REG_RIP] += static_cast<greg_t>(one.length);
  registers[REG_EFL] &= ~trap_flag;
  return true;
}

bool MemoryWatch::on_fault(const void* address, void* context) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  if (!is_on_ || pages_of(at) == nullptr || opened_count_ == std::size(opened_)) return false;
  for (std::size_t i = 0; i < opened_count_; ++i)
    if (opened_[i] == at / page * page) return false;  // It is accessible: the fault is another one.
  if (opened_count_ == 0 && execute_string(context)) return true;
  greg_t* const registers = registers_of(context);
  // The second page of an access over the end of one was noted with the first.
  if (at < noted_.first || at >= noted_.second) {
    const std::size_t bytes = std::max<std::size_t>(1, access_bytes(code_of(context)));
    note(at, bytes, (registers[REG_ERR] & is_write) != 0);
    noted_ = {at, at + bytes};
  }
  open(at);
  registers[REG_EFL] |= trap_flag;
  return true;
}

#else

void Trap::handle(int, siginfo_t*, void*) {}

bool MemoryWatch::execute_string(void*) {
  return false;
}

bool MemoryWatch::on_fault(const void*, void*) {
  return false;
}

#endif

}  // namespace takt::tasking::schedule
