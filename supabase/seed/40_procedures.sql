-- Demo data, part 4: procedures that really run. A script sees its parameters as PARAM_<NAME>.
set app.quiet = 'on';

drop table if exists pg_temp.demo_scripts;
create temporary table demo_scripts as
select * from (values
('hostname', 'Print hostname', 'Prints the name the machine gives itself, with its system and kernel.', 'Python', 'Diagnostics', 60, '[]',
$s$import platform
import socket

print("Hostname:", socket.gethostname())
print("System:  ", platform.system(), platform.release())
print("Python:  ", platform.python_version())
$s$),
('disk', 'Disk usage report', 'Lists every volume with its free space; fails when one is fuller than the limit.', 'Python', 'Diagnostics', 120,
'[{"name":"limit","kind":"number","label":"Fail above (percent)","required":true,"default":90}]',
$s$import os
import shutil
import string
import sys

limit = float(os.environ.get("PARAM_LIMIT", "90"))
if os.name == "nt":
    volumes = [f"{letter}:\\" for letter in string.ascii_uppercase if os.path.exists(f"{letter}:\\")]
else:
    volumes = ["/"] + [path for path in ("/home", "/var", "/Volumes") if os.path.ismount(path)]

worst = 0.0
for volume in volumes:
    usage = shutil.disk_usage(volume)
    percent = usage.used * 100 / usage.total
    worst = max(worst, percent)
    print(f"{volume:<12} {usage.used / 2**30:8.1f} of {usage.total / 2**30:8.1f} GB used ({percent:.1f} %)")

if worst > limit:
    print(f"Above the limit of {limit:g} %", file=sys.stderr)
    sys.exit(1)
$s$),
('largest', 'Find large files', 'Shows the largest files below a folder.', 'Python', 'Diagnostics', 600,
'[{"name":"folder","kind":"text","label":"Folder","required":true,"default":"/var/log"},{"name":"count","kind":"number","label":"How many","default":20}]',
$s$import heapq
import os

folder = os.environ.get("PARAM_FOLDER", "/var/log")
count = int(float(os.environ.get("PARAM_COUNT", "20")))

def files(top):
    for root, _, names in os.walk(top, onerror=lambda error: None):
        for name in names:
            path = os.path.join(root, name)
            try:
                yield os.lstat(path).st_size, path
            except OSError:
                continue

for size, path in heapq.nlargest(count, files(folder)):
    print(f"{size / 2**20:10.1f} MB  {path}")
$s$),
('tls', 'Check TLS certificate', 'Fails when the certificate of a host ends within 21 days.', 'Python', 'Security', 60,
'[{"name":"host","kind":"text","label":"Host name","required":true}]',
$s$import os
import socket
import ssl
import sys
import time

host = os.environ["PARAM_HOST"]
with socket.create_connection((host, 443), timeout=15) as plain:
    with ssl.create_default_context().wrap_socket(plain, server_hostname=host) as secured:
        certificate = secured.getpeercert()

days = (ssl.cert_time_to_seconds(certificate["notAfter"]) - time.time()) / 86400
print(f"{host}: valid until {certificate['notAfter']} ({days:.0f} days)")
sys.exit(0 if days > 21 else 1)
$s$),
('uptime', 'Uptime and load', 'How long the machine has been up, who is on it and how busy it is.', 'Bash', 'Diagnostics', 60, '[]',
$s$#!/usr/bin/env bash
set -eu
echo "Host:   $(hostname)"
echo "Kernel: $(uname -sr)"
uptime
echo
echo "Signed in:"
who || true
$s$),
('memory', 'Memory and top processes', 'Memory in use and the ten largest processes.', 'Bash', 'Diagnostics', 60, '[]',
$s$#!/usr/bin/env bash
set -eu
if command -v free > /dev/null; then free -m; else vm_stat; fi
echo
ps -eo pid,pcpu,pmem,comm | sort -k3 -nr | head -n 11
$s$),
('failed-units', 'Failed services', 'Lists failed systemd units; fails when there is one.', 'Bash', 'Services', 60, '[]',
$s$#!/usr/bin/env bash
set -u
if ! command -v systemctl > /dev/null; then
  echo "This machine has no systemd."
  exit 0
fi
failed=$(systemctl list-units --state=failed --no-legend --plain)
if [ -z "$failed" ]; then
  echo "No failed units."
  exit 0
fi
echo "$failed"
exit 1
$s$),
('updates', 'Pending package updates', 'Counts the packages that wait for an update.', 'Bash', 'Patching', 300, '[]',
$s$#!/usr/bin/env bash
set -eu
if command -v apt-get > /dev/null; then
  pending=$(apt-get --simulate --quiet=2 upgrade | grep -c '^Inst ' || true)
elif command -v dnf > /dev/null; then
  pending=$(dnf --quiet check-update | grep -c '\.' || true)
else
  echo "No known package manager."
  exit 0
fi
echo "$pending packages can be updated."
if [ -f /var/run/reboot-required ]; then echo "A restart is pending."; fi
$s$),
('journal', 'Vacuum the journal', 'Removes system journal entries older than the given days.', 'Bash', 'Maintenance', 300,
'[{"name":"days","kind":"number","label":"Keep days","required":true,"default":14}]',
$s$#!/usr/bin/env bash
set -eu
before=$(journalctl --disk-usage)
journalctl --vacuum-time="${PARAM_DAYS:-14}d"
echo "$before"
journalctl --disk-usage
$s$),
('restart', 'Restart a service', 'Restarts one service and shows its state.', 'Bash', 'Services', 120,
'[{"name":"service","kind":"text","label":"Service","required":true}]',
$s$#!/usr/bin/env bash
set -eu
systemctl restart -- "$PARAM_SERVICE"
systemctl --no-pager --lines=5 status -- "$PARAM_SERVICE"
$s$),
('temp', 'Clear temporary files', 'Deletes temporary files older than seven days and says how much it freed.', 'PowerShell', 'Maintenance', 900, '[]',
$s$$ErrorActionPreference = 'SilentlyContinue'
$limit = (Get-Date).AddDays(-7)
$freed = 0
foreach ($folder in @($env:TEMP, "$env:SystemRoot\Temp")) {
  Get-ChildItem -Path $folder -Recurse -File | Where-Object { $_.LastWriteTime -lt $limit } | ForEach-Object {
    $size = $_.Length
    Remove-Item -LiteralPath $_.FullName -Force
    if (-not (Test-Path -LiteralPath $_.FullName)) { $freed += $size }
  }
}
'Freed {0:N1} MB' -f ($freed / 1MB)
$s$),
('bitlocker', 'BitLocker status', 'Shows the protection of every volume; fails when the system volume is not protected.', 'PowerShell', 'Security', 120, '[]',
$s$$volumes = Get-BitLockerVolume
$volumes | Format-Table MountPoint, VolumeStatus, ProtectionStatus, EncryptionPercentage -AutoSize
$system = $volumes | Where-Object { $_.MountPoint -eq $env:SystemDrive }
if ($system.ProtectionStatus -ne 'On') { exit 1 }
$s$),
('admins', 'Local administrators', 'Lists who is a local administrator.', 'PowerShell', 'Security', 60, '[]',
$s$Get-LocalGroupMember -SID 'S-1-5-32-544' | Sort-Object Name | Format-Table Name, ObjectClass, PrincipalSource -AutoSize
$s$),
('hotfix', 'Installed Windows updates', 'The twenty updates installed last.', 'PowerShell', 'Patching', 120, '[]',
$s$Get-HotFix | Sort-Object InstalledOn -Descending | Select-Object -First 20 HotFixID, Description, InstalledOn | Format-Table -AutoSize
$s$),
('dns', 'Flush the DNS cache', 'Empties the resolver cache and asks for a name.', 'Batch', 'Network', 60, '[]',
$s$@echo off
ipconfig /flushdns
nslookup www.example.com
$s$),
('ipconfig', 'Network configuration', 'Adapters, addresses and routes.', 'Batch', 'Network', 60, '[]',
$s$@echo off
ipconfig /all
route print -4
$s$),
('time', 'Saat eşitleme', 'Saat hizmetini yeniden eşitler ve farkı gösterir.', 'Batch', 'Maintenance', 120, '[]',
$s$@echo off
w32tm /resync
w32tm /query /status
$s$),
('register', 'Register the asset', 'Sends the inventory number to the asset system.', 'Python', 'Inventory', 120,
'[{"name":"number","kind":"text","label":"Inventory number","required":true},{"name":"site","kind":"choice","label":"Site","choices":["Istanbul","Ankara","Remote"],"default":"Istanbul"},{"name":"api_key","kind":"secret","label":"API key","required":true}]',
$s$import json
import os
import socket

record = {
    "hostname": socket.gethostname(),
    "number": os.environ["PARAM_NUMBER"],
    "site": os.environ.get("PARAM_SITE", "Istanbul"),
}
print(json.dumps(record, indent=2))
print("API key given:", "yes" if os.environ.get("PARAM_API_KEY") else "no")
$s$)
) as s (key, name, description, type, category, timeout_seconds, parameters, script);

insert into public.procedures (id, company_id, name, description, type, category, script, parameters, timeout_seconds, created_by, created_at, updated_at)
select app.demo_id('procedure/' || o.company || '/' || s.key), app.demo_id('company/' || o.company), s.name, s.description, s.type,
  s.category, s.script, s.parameters::jsonb, s.timeout_seconds,
  (select p.id from public.profiles p where p.email = 'admin@' || o.company || '.test'),
  now() - make_interval(days => 30 + app.demo_pick(o.company || s.key, 120)),
  now() - make_interval(days => app.demo_pick(o.company || s.key || 'edited', 30))
from demo_scripts s
join (values
  ('acme', 'hostname disk largest tls uptime memory failed-units updates journal restart temp bitlocker admins hotfix dns ipconfig time register'),
  ('globex', 'hostname disk largest tls uptime memory failed-units updates restart temp bitlocker admins dns ipconfig'),
  ('initech', 'hostname disk uptime updates temp dns'),
  ('hooli', 'hostname disk uptime memory updates temp admins ipconfig'),
  ('umbra', 'hostname disk temp')
) as o (company, keys) on s.key = any (string_to_array(o.keys, ' '))
on conflict do nothing;

drop table demo_scripts;

insert into public.saved_commands (id, company_id, name, type, command, timeout_seconds)
select app.demo_id('saved_command/' || c.name || '/' || s.name), c.id, s.name, s.type, s.command, s.timeout_seconds
from (values
  ('Who is signed in', 'CMD', 'query user', 60),
  ('Renew the IP address', 'CMD', 'ipconfig /release && ipconfig /renew', 120),
  ('Pending restart', 'PowerShell', 'Test-Path "HKLM:\SOFTWARE\Microsoft\Windows\CurrentVersion\WindowsUpdate\Auto Update\RebootRequired"', 60),
  ('Yazıcı kuyruğunu yeniden başlat', 'PowerShell', 'Restart-Service -Name Spooler -PassThru', 120),
  ('Disk usage', 'Bash', 'df -h', 60),
  ('Python version', 'Python', E'import sys\nprint(sys.version)', 60)
) as s (name, type, command, timeout_seconds)
join public.companies c on c.id in (app.demo_id('company/acme'), app.demo_id('company/globex'))
on conflict do nothing;
reset app.quiet;
