#include "core/in_parallel.hpp"

#include <future>
#include <system_error>

#include "core/allowed_processors.hpp"

namespace takt {

void in_parallel(const std::function<void()>& work, const std::function<void()>& beside) {
  std::future<void> other;
  if (allowed_processors().size() > 1) try {
      other = std::async(std::launch::async, beside);
    } catch (const std::system_error&) {
      // No more threads are to be had: there is no haste.
    }
  work();
  if (other.valid())
    other.get();
  else
    beside();
}

}  // namespace takt
