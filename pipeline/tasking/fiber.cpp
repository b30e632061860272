#include "pipeline/tasking/fiber.hpp"

#include <cstring>

#include <boost/context/detail/fcontext.hpp>
#include <cxxabi.h>

#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

namespace takt::tasking {

namespace context = boost::context::detail;

namespace {

/// What the C++ runtime keeps for each thread about exceptions that are being handled: it belongs to the
/// fiber.
struct Handled {
  void* caught = nullptr;
  unsigned uncaught = 0;
};

/// That of the present thread: not inlined, because compilers hold the address for constant.
[[gnu::noinline]] Handled exchange_handled(const Handled& next) {
  void* const kept = static_cast<void*>(abi::__cxa_get_globals());
  Handled before;
  std::memcpy(&before, kept, sizeof(before));
  std::memcpy(kept, &next, sizeof(next));
  asm volatile("" ::: "memory");
  return before;
}

}  // namespace

/// A switch in progress; lies on the stack that is left.
struct Fiber::Switch {
  Fiber* from;
  Fiber* to;
  After after;
};

/// Where a new stack begins.
struct Fiber::Entry {
  static void begin(context::transfer_t transfer) {
    const auto* const about = static_cast<Switch*>(transfer.data);
    Fiber* const self = about->to;
    arrive(transfer.fctx, static_cast<Switch*>(transfer.data));
    self->entry_(self->argument_);
  }
};

Fiber::Fiber() {
#ifdef __SANITIZE_THREAD__
  sanitizer_fiber_ = __tsan_get_current_fiber();
#endif
}

Fiber::Fiber(std::size_t stack_bytes, void (*entry)(void*), void* argument)
    : stack_(stack_bytes), entry_(entry), argument_(argument) {
  bottom_ = stack_->bottom();
  bytes_ = stack_->size();
  // A callee that is given fewer arguments than it reads looks above its caller's frame.
  constexpr std::size_t above = 512;
  context_ = context::make_fcontext(stack_->top() - above, stack_->size() - above, &Entry::begin);
#ifdef __SANITIZE_THREAD__
  sanitizer_fiber_ = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
#ifdef __SANITIZE_THREAD__
  if (stack_) __tsan_destroy_fiber(sanitizer_fiber_);
#endif
}

void Fiber::arrive(void* from_context, Switch* about) {
  Fiber* const from = about->from;
  const After after = about->after;
#ifdef __SANITIZE_ADDRESS__
  const void* bottom = nullptr;
  std::size_t bytes = 0;
  __sanitizer_finish_switch_fiber(about->to->fake_stack_, &bottom, &bytes);
  if (!from->stack_) {
    from->bottom_ = bottom;
    from->bytes_ = bytes;
  }
#endif
  from->context_ = from_context;
  if (after.call != nullptr) after.call(after.argument);
}

void Fiber::change(Fiber& from, Fiber& to, After after) {
  const Handled handled = exchange_handled({});
  Switch about{&from, &to, after};
#ifdef __SANITIZE_THREAD__
  __tsan_switch_to_fiber(to.sanitizer_fiber_, 0);
#endif
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_start_switch_fiber(&from.fake_stack_, to.bottom_, to.bytes_);
#endif
  const context::transfer_t transfer = context::jump_fcontext(to.context_, &about);
  arrive(transfer.fctx, static_cast<Switch*>(transfer.data));
  exchange_handled(handled);
}

}  // namespace takt::tasking
