#!/bin/bash
# two_hosts.sh PROGRAM ARGUMENTS...: runs two ranks of a program under mpirun, each with its own network and
# host name (t1.a.test and t2.b.test), joined by a bridge. Needs root. Exit code 77: this system does not
# permit it.
set -u
net=10.213.77
. "${BASH_SOURCE%/*}/name_spaces.sh"
hosts=(t1.a.test t2.b.test)

set_up() {
  ip netns add "$tag-bridge" && ip -n "$tag-bridge" link add bridge type bridge && ip -n "$tag-bridge" link set bridge up || return 1
  for i in 0 1; do
    ip netns add "$tag-$i" &&
      ip link add eth netns "$tag-$i" type veth peer name "port$i" netns "$tag-bridge" &&
      ip -n "$tag-bridge" link set "port$i" master bridge && ip -n "$tag-bridge" link set "port$i" up &&
      ip -n "$tag-$i" addr add "$net.$((i + 1))/24" dev eth && ip -n "$tag-$i" link set eth up &&
      ip -n "$tag-$i" link set lo up || return 1
  done
}

folder=$(mktemp -d)
leave_nothing "$folder"
set_up 2>/dev/null || exit 77
# mpirun uses this agent instead of ssh. Host names must differ, or Open MPI would take both hosts for one.
cat >"$folder/agent" <<END
#!/bin/bash
host=\$1; shift
case \$host in ${hosts[0]}) i=0;; ${hosts[1]}) i=1;; *) exit 1;; esac
exec ip netns exec $tag-\$i unshare -u bash -c "hostname \$host; \$*"
END
chmod +x "$folder/agent"
# A hosts file for mpirun only, which must know both names.
printf '127.0.0.1 localhost\n%s %s\n%s %s\n' "$net.1" "${hosts[0]}" "$net.2" "${hosts[1]}" >"$folder/hosts"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
ip netns exec "$tag-0" unshare -u -m bash -c '
  mount --bind "$1/hosts" /etc/hosts; hostname "$2"; shift; shift
  exec "$@"' two_hosts "$folder" "${hosts[0]}" \
  mpirun -n 2 --host "${hosts[0]},${hosts[1]}" --bind-to none --mca orte_keep_fqdn_hostnames 1 --mca plm_rsh_agent "$folder/agent" \
  --mca btl tcp,vader,self --mca oob_tcp_if_include "$net.0/24" --mca btl_tcp_if_include "$net.0/24" "$@"
