#!/bin/sh
# Installs the Konsol agent on Linux or macOS. The server that hands this file out puts its own address in:
#   { echo KONSOL_TOKEN=<enrollment token>; curl -fsSL <console>/agent/install.sh; } | sh
# The token arrives on standard input, as a line before this script: every user can read a command line.
# As root on a machine with systemd it becomes a service; otherwise it runs in the background as you.
set -eu

ORIGIN='__KONSOL_ORIGIN__'
KEY='__KONSOL_KEY__'

main() {
  url=$ORIGIN
  key=$KEY
  token=${KONSOL_TOKEN:-}
  # It may have come by the environment, which programs inherit.
  unset KONSOL_TOKEN
  data_dir=''
  machine_id=''
  mode='auto'
  while [ $# -gt 0 ]; do
    case $1 in
      --foreground) mode='foreground'; shift; continue ;;
      --help) usage; exit 0 ;;
      --token | --token=*)
        fail '--token is refused: every user of this machine can read a command line. Revoke that token and copy the install command from the Agents page again.'
        ;;
      --url | --key | --data-dir | --machine-id)
        [ $# -ge 2 ] || fail "$1 needs a value."
        case $1 in
          --url) url=$2 ;;
          --key) key=$2 ;;
          --data-dir) data_dir=$2 ;;
          --machine-id) machine_id=$2 ;;
        esac
        shift 2
        ;;
      *) fail "Unknown argument \"$1\"." ;;
    esac
  done
  # Filled in by nobody: the file was not fetched from a console.
  case $ORIGIN in __*) fail 'Fetch this script from your console: <console>/agent/install.sh' ;; esac

  find_node
  if [ "$mode" = auto ] && [ "$(id -u)" = 0 ] && [ -d /run/systemd/system ] && command -v systemctl >/dev/null 2>&1; then
    mode='service'
  fi
  if [ -z "$data_dir" ]; then
    if [ "$mode" = service ]; then data_dir=/var/lib/konsol-agent; else data_dir=${HOME:-/root}/.konsol-agent; fi
  fi
  umask 077
  mkdir -p "$data_dir"
  data_dir=$(cd "$data_dir" && pwd)
  download "$ORIGIN/agent/agent.mjs" "$data_dir/agent.new.mjs"
  mv -f "$data_dir/agent.new.mjs" "$data_dir/agent.mjs"
  stop_running

  if [ -z "$token" ] && [ ! -f "$data_dir/device.json" ] && [ ! -f "$data_dir/enrollment.json" ]; then
    fail 'An enrollment token is required. Copy the install command from the Agents page of the console.'
  fi
  # One set of arguments from here on: none of them is ever read as shell words again.
  set -- --url "$url" --data-dir "$data_dir"
  [ -z "$key" ] || set -- "$@" --key "$key"
  [ -z "$machine_id" ] || set -- "$@" --machine-id "$machine_id"

  if [ -n "$token" ]; then
    # A device already enrolled stays itself; the token is then left unused. printf is part of the shell, no program.
    printf '%s\n' "$token" | "$NODE" "$data_dir/agent.mjs" enroll "$@" --token-file -
  fi
  if [ "$mode" = foreground ]; then exec "$NODE" "$data_dir/agent.mjs" run "$@"; fi
  if [ "$mode" = service ]; then install_service "$@"; else start_in_background "$@"; fi
}

usage() {
  cat <<'TEXT'
The enrollment token is read from the variable KONSOL_TOKEN; it is needed once.
Options:
  --foreground         run here, until Ctrl+C, instead of as a service or in the background
  --data-dir <folder>  where the agent lives (default /var/lib/konsol-agent as a service, else ~/.konsol-agent)
  --url <address>      the API, where it is not the console's own address
  --key <key>          publishable key of a hosted backend
  --machine-id <id>    replaces the machine's own id, for machines cloned from one image
TEXT
}

fail() {
  printf '%s\n' "$*" >&2
  exit 1
}

find_node() {
  NODE=$(command -v node || true)
  if [ -z "$NODE" ]; then
    for candidate in /usr/local/bin/node /usr/bin/node /opt/homebrew/bin/node; do
      if [ -x "$candidate" ]; then NODE=$candidate; break; fi
    done
  fi
  version=''
  [ -z "$NODE" ] || version=$("$NODE" -p 'process.versions.node' 2>/dev/null || true)
  major=${version%%.*}
  case $major in '' | *[!0-9]*) major=0 ;; esac
  [ "$major" -lt 20 ] || return 0
  {
    if [ -z "$version" ]; then
      echo 'The agent needs Node.js 20 or newer, which is not installed.'
    else
      echo "The agent needs Node.js 20 or newer; this machine has $version ($NODE)."
    fi
    echo 'Install it, then run this command again:'
    if command -v apt-get >/dev/null 2>&1; then
      echo '  Debian 13, Ubuntu 25.04 and newer:  sudo apt-get install nodejs'
      echo '  older:                              https://nodejs.org/en/download (choose Linux, version 22)'
    elif command -v dnf >/dev/null 2>&1; then
      echo '  sudo dnf install nodejs     (Fedora, RHEL 9.6 and newer: sudo dnf module install nodejs:22)'
    elif command -v apk >/dev/null 2>&1; then
      echo '  apk add nodejs'
    elif command -v zypper >/dev/null 2>&1; then
      echo '  sudo zypper install nodejs22'
    elif command -v pacman >/dev/null 2>&1; then
      echo '  sudo pacman -S nodejs'
    elif command -v brew >/dev/null 2>&1; then
      echo '  brew install node'
    else
      echo '  https://nodejs.org/en/download'
    fi
  } >&2
  exit 1
}

download() {
  if command -v curl >/dev/null 2>&1; then
    curl -fsSL --retry 2 -o "$2" "$1" || fail "$1 could not be downloaded."
  elif command -v wget >/dev/null 2>&1; then
    wget -q -O "$2" "$1" || fail "$1 could not be downloaded."
  else
    fail 'Neither curl nor wget is installed.'
  fi
  # A sign-in page of some proxy in between is not the agent.
  "$NODE" --check "$2" >/dev/null 2>&1 || fail "What came from $1 is not the agent."
}

# An agent of an earlier installation in this folder, so that the new one finds the folder free.
stop_running() {
  if [ "$mode" = service ] && systemctl is-active --quiet konsol-agent 2>/dev/null; then
    systemctl stop konsol-agent
  fi
  [ -f "$data_dir/agent.pid" ] || return 0
  pid=$(cat "$data_dir/agent.pid")
  case $pid in '' | *[!0-9]*) return 0 ;; esac
  # The number may be another program's by now.
  if [ -r "/proc/$pid/cmdline" ]; then
    running=$(tr '\0' ' ' <"/proc/$pid/cmdline")
  else
    running=$(ps -p "$pid" -o args= 2>/dev/null || true)
  fi
  case $running in
    *"$data_dir/agent.mjs"*) kill "$pid" 2>/dev/null || true ;;
    *) rm -f "$data_dir/agent.pid"; return 0 ;;
  esac
  waited=0
  while kill -0 "$pid" 2>/dev/null && [ "$waited" -lt 15 ]; do
    sleep 1
    waited=$((waited + 1))
  done
  rm -f "$data_dir/agent.pid"
}

# systemd reads % as a specifier and splits at spaces: quoted, with both escaped.
unit_word() {
  printf '"%s" ' "$(printf '%s' "$1" | sed -e 's/[\\"]/\\&/g' -e 's/%/%%/g' -e 's/\$/$$/g')"
}

install_service() {
  command_line=$(unit_word "$NODE")$(unit_word "$data_dir/agent.mjs")run' '
  for argument in "$@"; do command_line=$command_line$(unit_word "$argument"); done
  umask 022
  cat >/etc/systemd/system/konsol-agent.service <<UNIT
[Unit]
Description=Konsol agent
After=network-online.target
Wants=network-online.target

[Service]
ExecStart=$command_line
Restart=always
RestartSec=10
# 2: a mistake in the arguments, 3: another agent has the folder. Trying again helps neither.
RestartPreventExitStatus=2 3
# Only the agent: what supervises a running script outlives a crash, and the next agent takes it over.
KillMode=process
TimeoutStopSec=20

[Install]
WantedBy=multi-user.target
UNIT
  systemctl daemon-reload
  systemctl enable --quiet konsol-agent
  systemctl restart konsol-agent
  echo 'The agent is installed and runs as the service konsol-agent (journalctl -u konsol-agent shows its log).'
}

start_in_background() {
  nohup "$NODE" "$data_dir/agent.mjs" run "$@" >>"$data_dir/agent.log" 2>&1 </dev/null &
  echo $! >"$data_dir/agent.pid"
  sleep 1
  kill -0 "$(cat "$data_dir/agent.pid")" 2>/dev/null || {
    tail -n 5 "$data_dir/agent.log" >&2
    fail 'The agent exited at once. Its output is above.'
  }
  echo "The agent runs in the background; its log is $data_dir/agent.log."
  echo 'Without root and systemd, it does not start again after a reboot. To start it manually:'
  echo "  $NODE $data_dir/agent.mjs run --url $url --data-dir $data_dir"
}

# Called last, so that a download cut in the middle runs nothing.
main "$@"
