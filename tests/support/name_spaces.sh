# Sourced by scripts that make network name spaces TAG-1, TAG-switch, ...: takes them away again, with all that runs in them.
tag=takt-test-$$

# $1: the tag. Processes that live in a name space keep it: none outlives the script.
remove_spaces() {
  local space
  for space in $(ip netns list 2>/dev/null | cut -d' ' -f1 | grep "^$1-"); do
    ip netns pids "$space" 2>/dev/null | xargs -r kill -9 2>/dev/null
    ip netns del "$space" 2>/dev/null
  done
}

# $1: a process that has not ended, even if nobody has heard of its end yet.
lives() { [ -e "/proc/$1/status" ] && ! grep -qs '^State:.*Z' "/proc/$1/status"; }

# $1: a folder that goes as well. However the script ends: a watcher in a session of its own does it where it was killed, and
# where the watcher was killed, too, the next script that comes by.
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
