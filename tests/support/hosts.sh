#!/bin/bash
# hosts.sh COUNT [RATE] -- COMMAND...: runs a command on the first of COUNT emulated hosts, h1.test, h2.test,
# ... Each host has its own network, host name and address (10.213.N.1, .2, ...); a switch joins them. RATE
# limits the rate at which each host sends (1gbit). With TAKT_HOSTS_PINNED=1 in the environment each host has
# its own processor if there are enough. Needs root.
# Exit code 98: the command has left processes on a host.
# Exit code 77: this system does not permit emulated hosts; the reason is on stderr.
#
# The environment of the command makes takt and mpirun use an agent instead of ssh for the other hosts, and
# has
#   TAKT_HOSTS_TAG      the hosts' network name spaces are TAG-1, TAG-2, ..., that of the switch is TAG-switch
#   TAKT_HOSTS_FOLDER   a file silent-NAME in it makes the agent refuse a host; the agent reads env-NAME
#                       before it starts a program
set -u
count=$1; shift
rate=
[ "$1" = -- ] || { rate=$1; shift; }
shift
net=10.213.$(($$ % 200 + 20))
. "${BASH_SOURCE%/*}/name_spaces.sh"

set_up() {
  ip netns add "$tag-switch" && ip -n "$tag-switch" link add switch type bridge && ip -n "$tag-switch" link set switch up || return 1
  for i in $(seq "$count"); do
    ip netns add "$tag-$i" &&
      ip link add eth netns "$tag-$i" type veth peer name "port$i" netns "$tag-switch" &&
      ip -n "$tag-switch" link set "port$i" master switch && ip -n "$tag-switch" link set "port$i" up &&
      ip -n "$tag-$i" addr add "$net.$i/24" dev eth && ip -n "$tag-$i" link set eth up &&
      ip -n "$tag-$i" link set lo up || return 1
    [ -z "$rate" ] || tc -n "$tag-$i" qdisc add dev eth root tbf rate "$rate" burst 256kb latency 50ms || return 1
    printf '%s h%s.test h%s\n' "$net.$i" "$i" "$i" >>"$folder/hosts"
  done
}

folder=$(mktemp -d /tmp/takt-hosts-XXXXXX)
leave_nothing "$folder"
printf '127.0.0.1 localhost\n' >"$folder/hosts"
[ "$(id -u)" = 0 ] || { echo "emulated hosts need root" >&2; exit 77; }
refusal=$(set_up 2>&1) || { echo "this kernel has no network name spaces for us: $refusal" >&2; exit 77; }
# Host names must differ, or Open MPI would take all hosts for one; only the hosts know the names.
# Prints the command prefix that pins host $1 to its processor.
pinned() { [ -z "${TAKT_HOSTS_PINNED:-}" ] || echo "taskset -c $((($1 - 1) % $(nproc --all)))"; }
cat >"$folder/agent" <<END
#!/bin/bash
$(declare -f pinned)
host=\$1; shift
[ ! -e $folder/silent-\$host ] || { echo "connect to host \$host: No route to host" >&2; exit 255; }
i=\${host#h}; i=\${i%.test}
[ -e /run/netns/$tag-\$i ] || { echo "Could not resolve hostname \$host" >&2; exit 255; }
exec ip netns exec $tag-\$i \$(pinned \$i) unshare -u -m bash -c "mount --bind $folder/hosts /etc/hosts; mount -t tmpfs tmpfs /dev/shm; hostname \$host; [ ! -e $folder/env-\$host ] || . $folder/env-\$host; \$*"
END
chmod +x "$folder/agent"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_plm_rsh_agent=$folder/agent \
  OMPI_MCA_orte_keep_fqdn_hostnames=1 TAKT_HOSTS_TAG=$tag TAKT_HOSTS_FOLDER=$folder
ip netns exec "$tag-1" $(pinned 1) unshare -u -m bash -c '
  mount --bind "$1/hosts" /etc/hosts; hostname h1.test; shift
  exec "$@"' hosts "$folder" "$@"
status=$?
# All processes of the command on all hosts must end within ten seconds of it; otherwise exit code 98.
for _ in $(seq 100); do
  left=$(for i in $(seq "$count"); do ip netns pids "$tag-$i"; done)
  [ -n "$left" ] || exit $status
  sleep 0.1
done
echo "left behind: $(ps -o pid=,args= -p $(echo $left | tr ' ' ,))" >&2
exit 98
