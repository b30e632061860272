# For scripts that make network name spaces TAG-1, TAG-switch, ...: removes these and all processes in them.
tag=takt-test-$$

# $1: the tag. A name space lives as long as its processes, so these are killed first.
remove_spaces() {
  local space
  for space in $(ip netns list 2>/dev/null | cut -d' ' -f1 | grep "^$1-"); do
    ip netns pids "$space" 2>/dev/null | xargs -r kill -9 2>/dev/null
    ip netns del "$space" 2>/dev/null
  done
}

# True if process $1 has not ended; a zombie has ended.
lives() { [ -e "/proc/$1/status" ] && ! grep -qs '^State:.*Z' "/proc/$1/status"; }

# Removes folder $1 and the name spaces however the script ends. If it is killed, a watcher in a session of
# its own removes them; if the watcher is killed too, the next script does.
leave_nothing() {
  local left
  for left in $(ip netns list 2>/dev/null | grep -o '^takt-test-[0-9]*' | sort -u); do
    lives "${left##*-}" || remove_spaces "$left"
  done
  trap "remove_spaces $tag; rm -rf '$1'" EXIT
  setsid bash -c "$(declare -f remove_spaces lives); while lives $$; do sleep 0.5; done; remove_spaces $tag; rm -rf '$1'" \
    </dev/null >/dev/null 2>&1 &
  disown
}
