#pragma once
/// Keeping other processes off the core while something is timed.

namespace takt::logp {

/// Real-time priority for the calling thread while it lives, where the system grants it (root, or
/// CAP_SYS_NICE). Whoever holds it must rest as long as it works, or others starve; a thread that runs for
/// seconds without resting is killed by the system.
class RealTimePriority {
 public:
  explicit RealTimePriority(bool wanted);
  RealTimePriority(const RealTimePriority&) = delete;
  RealTimePriority& operator=(const RealTimePriority&) = delete;
  ~RealTimePriority();

  [[nodiscard]] bool is_granted() const { return is_granted_; }

 private:
  bool is_granted_ = false;
};

}  // namespace takt::logp
