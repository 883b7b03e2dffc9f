#!/bin/sh
# Installs the Konsol agent on Linux or macOS. The server that hands this file out puts its own address in:
#   { echo KONSOL_TOKEN=<enrollment token>; curl -fsSL <console>/agent/install.sh; } | sh
# The token arrives on standard input, as a line before this script: every user can read a command line.
# As root on a machine with systemd or launchd it becomes a service; otherwise it runs in the background as you.
# To remove it:
#   curl -fsSL <console>/agent/install.sh | sh -s -- --uninstall
set -eu

ORIGIN='__KONSOL_ORIGIN__'
KEY='__KONSOL_KEY__'
SIGNING_KEY='__KONSOL_SIGNING_KEY__'
AGENT_SHA256='__KONSOL_SHA256__'
# A checksum and a name on each line.
PROGRAMS='__KONSOL_PROGRAMS__'
UNIT=/etc/systemd/system/konsol-agent.service
PLIST=/Library/LaunchDaemons/com.konsol.agent.plist

main() {
  url=$ORIGIN
  key=$KEY
  token=${KONSOL_TOKEN:-}
  # It may have come by the environment, which programs inherit.
  unset KONSOL_TOKEN
  data_dir=''
  machine_id=''
  mode='auto'
  uninstall=''
  purge=''
  while [ $# -gt 0 ]; do
    case $1 in
      --foreground) mode='foreground'; shift; continue ;;
      --uninstall) uninstall=1; shift; continue ;;
      --purge) purge=1; shift; continue ;;
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

  find_service
  if [ -z "$data_dir" ]; then
    data_dir=${HOME:-/root}/.konsol-agent
    # An installation of before launchd was used stays where it is.
    case $mode in
      systemd) data_dir=/var/lib/konsol-agent ;;
      launchd) [ -f "$data_dir/device.json" ] || data_dir='/Library/Application Support/Konsol Agent' ;;
    esac
  fi
  if [ -n "$uninstall" ]; then uninstall; exit 0; fi
  [ -z "$purge" ] || fail '--purge belongs to --uninstall.'

  find_node
  umask 077
  mkdir -p "$data_dir"
  data_dir=$(cd "$data_dir" && pwd)
  download agent.mjs "$AGENT_SHA256" "$data_dir/agent.new.mjs"
  if [ -z "$NODE" ]; then
    download "$PROGRAM" "$PROGRAM_SHA256" "$data_dir/konsol-agent.new"
    chmod 700 "$data_dir/konsol-agent.new"
    "$data_dir/konsol-agent.new" "$data_dir/agent.new.mjs" --version >/dev/null ||
      fail "This machine has no Node.js 20, and the executable of the console does not run on it. Install Node.js 20, then run this command again."
  fi
  # The download is complete: only now is the old agent stopped.
  stop_running
  mv -f "$data_dir/agent.new.mjs" "$data_dir/agent.mjs"
  if [ -z "$NODE" ]; then
    mv -f "$data_dir/konsol-agent.new" "$data_dir/konsol-agent"
    NODE=$data_dir/konsol-agent
  fi

  if [ -z "$token" ] && [ ! -f "$data_dir/device.json" ] && [ ! -f "$data_dir/enrollment.json" ]; then
    fail 'An enrollment token is required. Copy the install command from the Agents page of the console.'
  fi
  # One set of arguments from here on: none of them is ever read as shell words again.
  set -- --url "$url" --data-dir "$data_dir"
  [ -z "$key" ] || set -- "$@" --key "$key"
  [ -z "$machine_id" ] || set -- "$@" --machine-id "$machine_id"

  if [ -n "$token" ]; then
    # A device already enrolled stays itself; the token is then left unused. printf is part of the shell, no program.
    printf '%s\n' "$token" | "$NODE" "$data_dir/agent.mjs" enroll "$@" --signing-key "$SIGNING_KEY" --token-file -
  fi
  set -- "$@" --signing-key "$SIGNING_KEY"
  case $mode in
    foreground) exec "$NODE" "$data_dir/agent.mjs" run "$@" ;;
    systemd) install_unit "$@" --service ;;
    launchd) install_daemon "$@" --service ;;
    *) start_in_background "$@" ;;
  esac
}

usage() {
  cat <<'TEXT'
The enrollment token is read from the variable KONSOL_TOKEN; it is needed once.
Options:
  --foreground         run here, until Ctrl+C, instead of as a service or in the background
  --uninstall          stop the agent and remove it; the device stays in the console, and joins as itself when installed again
  --purge              with --uninstall: remove its data, too; the device then has to be approved when installed again
  --data-dir <folder>  where the agent lives (default /var/lib/konsol-agent as a service of systemd,
                       /Library/Application Support/Konsol Agent as one of launchd, else ~/.konsol-agent)
  --url <address>      the API, where it is not the console's own address
  --key <key>          publishable key of a hosted backend
  --machine-id <id>    replaces the machine's own id, for machines cloned from one image
TEXT
}

fail() {
  printf '%s\n' "$*" >&2
  exit 1
}

find_service() {
  [ "$mode" = auto ] && [ "$(id -u)" = 0 ] || return 0
  if [ -d /run/systemd/system ] && command -v systemctl >/dev/null 2>&1; then
    mode=systemd
  elif [ "$(uname -s)" = Darwin ] && command -v launchctl >/dev/null 2>&1; then
    mode=launchd
  fi
}

# Sets PROGRAM and its checksum, where the console has an executable for this system.
find_program() {
  PROGRAM=''
  case $(uname -s) in
    Linux) system=linux ;;
    Darwin) system=macos ;;
    *) return 0 ;;
  esac
  case $(uname -m) in
    x86_64 | amd64) system=$system-x64 ;;
    aarch64 | arm64) system=$system-arm64 ;;
    *) return 0 ;;
  esac
  while read -r sum name; do
    if [ "$name" = "konsol-agent-$system" ]; then
      PROGRAM=$name
      PROGRAM_SHA256=$sum
    fi
  done <<LINES
$PROGRAMS
LINES
}

# NODE is empty where the executable of the console takes its place.
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
  find_program
  if [ -n "$PROGRAM" ]; then
    NODE=''
    return 0
  fi
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

# The name of a file of the console, its checksum, and where it goes.
download() {
  address=$ORIGIN/agent/$1
  if command -v curl >/dev/null 2>&1; then
    curl -fsSL --retry 2 -o "$3" "$address" || fail "$address could not be downloaded."
  elif command -v wget >/dev/null 2>&1; then
    wget -q -O "$3" "$address" || fail "$address could not be downloaded."
  else
    fail 'Neither curl nor wget is installed.'
  fi
  # Cut short, changed on the way, the sign-in page of a proxy, or of a console that was updated meanwhile.
  found=$(checksum "$3")
  [ "$found" = "$2" ] || {
    rm -f "$3"
    fail "What came from $address has another checksum (expected $2, found $found). Run this command again."
  }
}

checksum() {
  if command -v sha256sum >/dev/null 2>&1; then
    sum=$(sha256sum <"$1")
  elif command -v shasum >/dev/null 2>&1; then
    sum=$(shasum -a 256 <"$1")
  elif [ -n "$NODE" ]; then
    sum=$("$NODE" -e 'process.stdout.write(require("crypto").createHash("sha256").update(require("fs").readFileSync(process.argv[1])).digest("hex"))' "$1")
  else
    fail 'Neither sha256sum nor shasum is installed, so what was downloaded cannot be checked.'
  fi
  printf '%s' "${sum%% *}"
}

# An agent of an earlier installation in this folder, so that the new one finds the folder free.
stop_running() {
  case $mode in
    systemd) if systemctl is-active --quiet konsol-agent 2>/dev/null; then systemctl stop konsol-agent; fi ;;
    launchd) launchctl bootout system/com.konsol.agent 2>/dev/null || true ;;
  esac
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
  # It ends running scripts and reports them.
  waited=0
  while kill -0 "$pid" 2>/dev/null && [ "$waited" -lt 20 ]; do
    sleep 1
    waited=$((waited + 1))
  done
  rm -f "$data_dir/agent.pid"
}

# systemd reads % as a specifier and splits at spaces: quoted, with both escaped.
unit_word() {
  printf '"%s" ' "$(printf '%s' "$1" | sed -e 's/[\\"]/\\&/g' -e 's/%/%%/g' -e 's/\$/$$/g')"
}

install_unit() {
  command_line=$(unit_word "$NODE")$(unit_word "$data_dir/agent.mjs")run' '
  for argument in "$@"; do command_line=$command_line$(unit_word "$argument"); done
  umask 022
  cat >"$UNIT" <<TEXT
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
TEXT
  systemctl daemon-reload
  systemctl enable --quiet konsol-agent
  systemctl restart konsol-agent
  echo 'The agent is installed and runs as the service konsol-agent (journalctl -u konsol-agent shows its log).'
}

xml_word() {
  printf '    <string>%s</string>\n' "$(printf '%s' "$1" | sed -e 's/&/\&amp;/g' -e 's/</\&lt;/g' -e 's/>/\&gt;/g')"
}

install_daemon() {
  words=$(for argument in "$NODE" "$data_dir/agent.mjs" run "$@"; do xml_word "$argument"; done)
  log=$(xml_word "$data_dir/agent.log")
  umask 022
  cat >"$PLIST" <<TEXT
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
    <string>com.konsol.agent</string>
  <key>ProgramArguments</key>
  <array>
$words
  </array>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <true/>
  <key>ThrottleInterval</key>
  <integer>10</integer>
  <key>AbandonProcessGroup</key>
  <true/>
  <key>StandardOutPath</key>
$log
  <key>StandardErrorPath</key>
$log
</dict>
</plist>
TEXT
  launchctl bootstrap system "$PLIST"
  echo "The agent is installed and runs as the service com.konsol.agent; its log is $data_dir/agent.log."
}

uninstall() {
  # Of an earlier version of this script, or run by somebody else.
  [ -d "$data_dir" ] || [ -f "$UNIT" ] || [ -f "$PLIST" ] || fail "There is no agent in $data_dir. Name its folder with --data-dir."
  if [ -d "$data_dir" ]; then data_dir=$(cd "$data_dir" && pwd); fi
  stop_running
  case $mode in
    systemd)
      systemctl disable --quiet konsol-agent 2>/dev/null || true
      rm -f "$UNIT"
      systemctl daemon-reload
      ;;
    launchd) rm -f "$PLIST" ;;
  esac
  if [ -n "$purge" ] && [ -d "$data_dir" ]; then
    # Nothing but a folder of the agent is ever removed as a whole.
    [ -f "$data_dir/device.json" ] || [ -f "$data_dir/enrollment.json" ] || [ -f "$data_dir/agent.mjs" ] ||
      fail "$data_dir holds no agent, so it is left as it is."
    rm -rf "$data_dir"
    echo "The agent and its data are removed. The device stays in the console as offline; remove it there."
    return 0
  fi
  rm -f "$data_dir/agent.mjs" "$data_dir/agent.previous.mjs" "$data_dir"/agent-*.mjs "$data_dir/konsol-agent" "$data_dir/agent.pid"
  echo "The agent is removed. $data_dir still holds who this device is: installed again, it goes on as the same device."
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
