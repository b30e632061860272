#pragma once
/// Keeps other processes off the core during timed sections.

namespace takt::logp {

/// Real-time priority for the calling thread during its lifetime, if the system grants it (root, or
/// CAP_SYS_NICE). The thread must rest as long as it works, or other processes starve; the system kills a
/// thread that runs for seconds without rest.
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
