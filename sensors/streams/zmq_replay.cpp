#include "sensors/streams/zmq_replay.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/system/clock.hpp"
#include "core/system/outside_wait.hpp"

namespace takt::sensors {

namespace {

constexpr std::int64_t replay_last_wait_ns = 5'000'000'000, replay_last_return_ns = 60'000'000'000;
/// Waits without a receiver, and with a full receiver.
constexpr std::chrono::milliseconds replay_nap{20}, replay_short_nap{1};

}  // namespace

void ZmqReplay::open() {
  socket_ = open_zmq(context_, options_, ZmqEnd::keeps);
}

void ZmqReplay::write(const FrameHeader& header, std::vector<std::byte> message) {
  step(std::chrono::milliseconds{0});
  const auto has_to_wait = [&] {
    return end() - next_ >= static_cast<std::uint64_t>(options_.high_water) ||
           (is_full(message.size()) && unsent_ == first_);
  };
  if (when_full_ == WhenFull::block && has_to_wait()) {
    const OutsideWait waits("a receiver of " + options_.endpoint);
    while (has_to_wait()) step(nap());
  }
  while (is_full(message.size())) let_go();
  bytes_ += message.size();
  kept_.push_back({header.epoch, header.sequence, zmq::message_t(message.data(), message.size())});
  step(std::chrono::milliseconds{0});
}

std::chrono::milliseconds ZmqReplay::nap() const {
  return receiver_ && next_ < end() ? replay_short_nap : replay_nap;
}

void ZmqReplay::let_go() {
  if (unsent_ == first_) dropped_.add();
  bytes_ -= kept_.front().message.size();
  kept_.pop_front();
  ++first_;
  next_ = std::max(next_, first_);
  unsent_ = std::max(unsent_, first_);
}

void ZmqReplay::step(std::chrono::milliseconds patience) {
  zmq_pollitem_t item{socket_.handle(), 0, ZMQ_POLLIN, 0};
  // A signal may interrupt the wait.
  if (patience.count() > 0) (void)::zmq_poll(&item, 1, patience.count());
  // Further requests are processed in the next step.
  for (int i = 0; i < 16; ++i) {
    zmq::message_t who, what;
    if (!socket_.recv(who, zmq::recv_flags::dontwait)) break;
    bool has_more = who.more();
    while (has_more && socket_.recv(what, zmq::recv_flags::dontwait)) has_more = what.more();
    hear(who, {static_cast<const std::byte*>(what.data()), what.size()});
  }
  while (receiver_ && next_ < end()) {
    if (!send(kept_[next_ - first_].message)) return;
    sent_.add();
    if (next_ < unsent_) replayed_.add();
    unsent_ = std::max(unsent_, ++next_);
  }
  if (is_over_ && receiver_ && !was_end_sent_) {
    const std::vector<std::byte> end = WireEncoder::end();
    was_end_sent_ = send(zmq::message_t(end.data(), end.size()));
  }
}

void ZmqReplay::hear(const zmq::message_t& who, std::span<const std::byte> said) {
  const std::optional<WireRequest> request = read_wire_request(said);
  if (!request || said.size() != wire_head_bytes) return refused_.add();
  const std::string name(static_cast<const char*>(who.data()), who.size());
  if (!request->command) {
    has_all_ = has_all_ || receiver_ == name;
    return;
  }
  // The receiver repeats its request, since a restarted sender does not know it.
  if (receiver_ == name) return;
  receiver_ = name;
  came_.add();
  was_end_sent_ = has_all_ = false;
  next_ = first_for(*request);
}

std::uint64_t ZmqReplay::first_for(const WireRequest& request) const {
  if (request.command == WireCommand::coming_frames) return unsent_;
  if (request.command == WireCommand::kept_frames || kept_.empty()) return first_;
  const std::pair had(request.epoch, request.sequence);
  const auto is_newer = [&](const Kept& frame) { return std::pair(frame.epoch, frame.sequence) > had; };
  const auto found = std::ranges::find_if(kept_, is_newer);
  // The receiver refers to another stream: it names a message that was never sent.
  if (found - kept_.begin() > static_cast<std::ptrdiff_t>(unsent_ - first_)) return first_;
  return first_ + static_cast<std::uint64_t>(found - kept_.begin());
}

bool ZmqReplay::send(const zmq::message_t& message) {
  zmq::message_t copy;
  copy.copy(const_cast<zmq::message_t&>(message));
  try {
    return socket_.send(zmq::buffer(*receiver_), zmq::send_flags::dontwait | zmq::send_flags::sndmore) &&
           socket_.send(std::move(copy), zmq::send_flags::dontwait);
  } catch (const zmq::error_t& error) {
    if (error.num() != EHOSTUNREACH) throw;
    receiver_.reset();
    return false;
  }
}

void ZmqReplay::close() {
  is_over_ = true;
  const bool waits = when_full_ == WhenFull::block;
  const std::int64_t latest = now_ns() + (waits ? replay_last_return_ns : replay_last_wait_ns);
  const auto is_done = [&] { return has_all_ || (!waits && (!receiver_ || was_end_sent_)); };
  step(std::chrono::milliseconds{0});
  if (!is_done()) {
    const OutsideWait outside("a receiver of " + options_.endpoint);
    while (!is_done() && now_ns() < latest) step(nap());
  }
  dropped_.add(end() - unsent_);
  // No message is in transit.
  if (has_all_) socket_.set(zmq::sockopt::linger, 0);
  socket_.close();
  context_.close();
}

std::vector<Counter> ZmqReplay::counters() const {
  return {{"frames_sent", "frames", sent_.value()},
          {"frames_dropped", "frames", dropped_.value()},
          {"frames_replayed", "frames", replayed_.value()},
          {"receivers", "receivers", came_.value()},
          {"refused_requests", "messages", refused_.value()}};
}

}  // namespace takt::sensors
