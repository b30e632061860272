#!/bin/bash
# slurm.sh NODES COMMAND...: runs a command with a private Slurm, whose nodes n1, n2, ... are all this
# computer. Needs root and the packages slurm-wlm and munge. Exit code 77: not possible here; the reason is on
# stderr.
set -u
nodes=$1; shift
[ "$(id -u)" = 0 ] || { echo "a Slurm of its own needs root" >&2; exit 77; }
for program in munged slurmctld slurmd sbatch; do
  command -v $program >/dev/null || { echo "no $program here (packages slurm-wlm and munge)" >&2; exit 77; }
done

# All processes of Slurm are in one process name space and end with it.
if [ -z "${TAKT_SLURM_INSIDE:-}" ]; then
  export TAKT_SLURM_INSIDE=$$
  exec unshare --pid --fork --kill-child --mount-proc "$0" "$nodes" "$@"
fi

folder=$(mktemp -d /tmp/takt-slurm-XXXXXX)
trap 'rm -rf "$folder"' EXIT
# Ports that no parallel test of this kind uses.
base=$((20000 + TAKT_SLURM_INSIDE % 20000))
mkdir -p "$folder"/{state,log} && chmod 755 "$folder"
dd if=/dev/urandom of="$folder/munge.key" bs=1024 count=1 status=none && chmod 400 "$folder/munge.key"
cat >"$folder/slurm.conf" <<END
ClusterName=takt-test
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=root
SlurmctldPort=$base
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CryptoType=crypto/munge
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
MpiDefault=pmix
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
StateSaveLocation=$folder/state
SlurmctldPidFile=$folder/slurmctld.pid
SlurmctldLogFile=$folder/log/slurmctld
SlurmdPidFile=$folder/%n.pid
SlurmdLogFile=$folder/log/%n
SlurmdSpoolDir=$folder/spool-%n
TmpFS=$folder/tmp-%n
KillWait=5
NodeName=n[1-$nodes] NodeHostname=localhost NodeAddr=127.0.0.1 Port=[$((base + 1))-$((base + nodes))] CPUs=4 State=UNKNOWN
PartitionName=test Nodes=ALL Default=YES MaxTime=60 State=UP
END
export SLURM_CONF=$folder/slurm.conf
munged --foreground --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" --pid-file="$folder/munged.pid" \
  --log-file="$folder/log/munged" --seed-file="$folder/seed" --num-threads=2 2>/dev/null &
for _ in $(seq 50); do [ -S "$folder/munge.socket" ] && break; sleep 0.1; done
slurmctld -D -i 2>/dev/null &
for i in $(seq "$nodes"); do
  mkdir -p "$folder/spool-n$i" "$folder/tmp-n$i"
  slurmd -D -N "n$i" 2>/dev/null &
done
for _ in $(seq 100); do
  [ "$(sinfo -h -N -t idle -o %N 2>/dev/null | wc -l)" = "$nodes" ] && break
  sleep 0.1
done
[ "$(sinfo -h -N -t idle -o %N 2>/dev/null | wc -l)" = "$nodes" ] ||
  { echo "Slurm does not come up here: $(tail -qn 2 "$folder"/log/* 2>/dev/null | tr '\n' ';')" >&2; exit 77; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_oob_tcp_if_include=lo OMPI_MCA_btl_tcp_if_include=lo
"$@"
