#include "core/system/in_parallel.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

#include "core/system/allowed_processors.hpp"

namespace takt {

namespace {

void do_by_threads(std::size_t threads, std::initializer_list<std::function<void()>> pieces) {
  std::vector<std::exception_ptr> failures(pieces.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < pieces.size(); i = next++) try {
        pieces.begin()[i]();
      } catch (...) {
        failures[i] = std::current_exception();
      }
  };
  {
    std::vector<std::jthread> others;
    try {
      while (others.size() + 1 < threads) others.emplace_back(work);
    } catch (const std::system_error&) {
      // No further thread is available: the existing ones do the rest.
    }
    work();
  }
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

}  // namespace

void in_parallel(std::initializer_list<std::function<void()>> pieces) {
  do_by_threads(std::min(pieces.size(), allowed_processors().size()), pieces);
}

void in_parallel_if(bool is_long, std::initializer_list<std::function<void()>> pieces) {
  if (is_long) return in_parallel(pieces);
  for (const std::function<void()>& piece : pieces) piece();
}

}  // namespace takt
