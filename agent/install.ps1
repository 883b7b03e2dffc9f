# Installs the Konsol agent on Windows, from PowerShell 5.1 opened as administrator. The server that hands this file out puts its
# own address in:
#   '<enrollment token>' | & ([scriptblock]::Create((irm <console>/agent/install.ps1)))
# The token arrives through the pipeline: every user can read the command line of a program.
#
# The agent becomes a scheduled task that starts with the machine, as SYSTEM, and not a service: a service has to answer the
# service manager, which neither Node nor an executable made from it can. The task starts the agent again within five minutes of
# whatever ended it.
# To remove it:
#   & ([scriptblock]::Create((irm <console>/agent/install.ps1))) -Uninstall
param(
  [string]$Url,
  [string]$Key,
  [string]$DataDir = (Join-Path $env:ProgramData 'Konsol'),
  [string]$MachineId,
  [switch]$Uninstall,
  [switch]$Purge
)
$ErrorActionPreference = 'Stop'
$Origin = '__KONSOL_ORIGIN__'
$PublicKey = '__KONSOL_KEY__'
$SigningKey = '__KONSOL_SIGNING_KEY__'
$AgentSha256 = '__KONSOL_SHA256__'
# A checksum and a name on each line.
$Programs = '__KONSOL_PROGRAMS__'
$TaskName = 'Konsol agent'
$Token = @($input)[0]
if (-not $Token) { $Token = $env:KONSOL_TOKEN }
$env:KONSOL_TOKEN = $null

function Test-Administrator {
  $user = [Security.Principal.WindowsPrincipal][Security.Principal.WindowsIdentity]::GetCurrent()
  return $user.IsInRole([Security.Principal.WindowsBuiltInRole]::Administrator)
}

function Find-Node {
  $found = Get-Command node.exe -CommandType Application -ErrorAction SilentlyContinue | Select-Object -First 1
  if (-not $found) { return $null }
  $version = & $found.Source -p 'process.versions.node'
  if ([int]($version -split '\.')[0] -lt 20) { return $null }
  # SYSTEM runs it: a Node that a user can replace would give that user the machine.
  if ($found.Source -notlike "$env:ProgramFiles\*") { return $null }
  return $found.Source
}

function Get-ConsoleFile([string]$Name, [string]$Sha256, [string]$Target) {
  $address = "$Origin/agent/$Name"
  Invoke-WebRequest -UseBasicParsing -Uri $address -OutFile $Target
  $found = (Get-FileHash -Algorithm SHA256 -LiteralPath $Target).Hash.ToLowerInvariant()
  if ($found -ne $Sha256) {
    Remove-Item -LiteralPath $Target -Force
    throw "What came from $address has another checksum (expected $Sha256, found $found). Run this command again."
  }
}

function Stop-Agent {
  Stop-ScheduledTask -TaskName $TaskName -ErrorAction SilentlyContinue
  # The task ends its own process alone, and the agent may have started a newer version of itself.
  Get-CimInstance Win32_Process |
    Where-Object { $_.CommandLine -and $_.CommandLine.Contains((Join-Path $DataDir 'agent')) -and $_.CommandLine -match '\.mjs"?\s+run\s' } |
    ForEach-Object { Stop-Process -Id $_.ProcessId -Force -ErrorAction SilentlyContinue }
}

# Within quotes, with backslashes doubled before a quote: how Windows programs read their command line.
function Format-Argument([string]$Text) {
  return '"' + (($Text -replace '(\\*)"', '$1$1\"') -replace '(\\+)$', '$1$1') + '"'
}

if (-not (Test-Administrator)) { throw 'Open PowerShell as administrator, then run this command again.' }

if ($Uninstall) {
  Stop-Agent
  Unregister-ScheduledTask -TaskName $TaskName -Confirm:$false -ErrorAction SilentlyContinue
  if ($Purge) {
    # Nothing but a folder of the agent is ever removed as a whole.
    $isOurs = @('device.json', 'enrollment.json', 'agent.mjs') | Where-Object { Test-Path -LiteralPath (Join-Path $DataDir $_) }
    if (-not $isOurs) { throw "$DataDir holds no agent, so it is left as it is." }
    Remove-Item -LiteralPath $DataDir -Recurse -Force
    Write-Output 'The agent and its data are removed. The device stays in the console as offline; remove it there.'
    return
  }
  Get-ChildItem -LiteralPath $DataDir -File -ErrorAction SilentlyContinue |
    Where-Object { $_.Name -match '^(agent(\.previous|-[\w.-]+)?\.mjs|konsol-agent\.exe)$' } | Remove-Item -Force
  Write-Output "The agent is removed. $DataDir still holds who this device is: installed again, it goes on as the same device."
  return
}
if ($Purge) { throw '-Purge belongs to -Uninstall.' }

$node = Find-Node
$program = $null
if (-not $node) {
  $name = if ($env:PROCESSOR_ARCHITECTURE -eq 'ARM64') { 'konsol-agent-windows-arm64.exe' } else { 'konsol-agent-windows-x64.exe' }
  $program = $Programs -split "`r?`n" | ForEach-Object { , ($_ -split '\s+') } | Where-Object { $_[1] -eq $name } | Select-Object -First 1
  if (-not $program) {
    throw "The agent needs Node.js 20 or newer, installed for all users. Run `"winget install OpenJS.NodeJS.LTS`", then this command again."
  }
}

# Every user may create folders in ProgramData, and SYSTEM runs what is in this one: only it and administrators may write here.
New-Item -ItemType Directory -Force -Path $DataDir | Out-Null
icacls $DataDir /setowner '*S-1-5-32-544' /T /C /Q | Out-Null
icacls $DataDir /reset /T /C /Q | Out-Null
icacls $DataDir /inheritance:r /grant:r '*S-1-5-18:(OI)(CI)F' '*S-1-5-32-544:(OI)(CI)F' /Q | Out-Null
if ($LASTEXITCODE -ne 0) { throw "The permissions of $DataDir could not be set." }

$agent = Join-Path $DataDir 'agent.mjs'
$isKnown = @('device.json', 'enrollment.json') | Where-Object { Test-Path -LiteralPath (Join-Path $DataDir $_) }
if (-not $Token -and -not $isKnown) {
  throw 'An enrollment token is required. Copy the install command from the Agents page of the console.'
}
Get-ConsoleFile 'agent.mjs' $AgentSha256 "$agent.new"
if ($program) { Get-ConsoleFile $program[1] $program[0] (Join-Path $DataDir 'konsol-agent.exe.new') }
# The download is complete: only now is the old agent stopped.
Stop-Agent
Move-Item -Force -LiteralPath "$agent.new" -Destination $agent
if ($program) {
  $node = Join-Path $DataDir 'konsol-agent.exe'
  Move-Item -Force -LiteralPath "$node.new" -Destination $node
}

$arguments = @('--url', $(if ($Url) { $Url } else { $Origin }), '--data-dir', $DataDir)
$arguments += @('--key', $(if ($Key) { $Key } else { $PublicKey }))
if ($MachineId) { $arguments += @('--machine-id', $MachineId) }
$arguments += @('--signing-key', $SigningKey)
if ($Token) {
  # A device already enrolled stays itself; the token is then left unused.
  $Token | & $node $agent enroll @arguments --token-file -
  if ($LASTEXITCODE -ne 0) { throw 'The device could not be enrolled; the reason is above.' }
}

$words = @($agent, 'run') + $arguments
$line = ($words | ForEach-Object { if ($_ -eq 'run') { $_ } else { Format-Argument $_ } }) -join ' '
$action = New-ScheduledTaskAction -Execute $node -Argument $line -WorkingDirectory $DataDir
$atStart = New-ScheduledTaskTrigger -AtStartup
$again = New-ScheduledTaskTrigger -Once -At (Get-Date) -RepetitionInterval (New-TimeSpan -Minutes 5)
$system = New-ScheduledTaskPrincipal -UserId 'S-1-5-18' -LogonType ServiceAccount -RunLevel Highest
$settings = New-ScheduledTaskSettingsSet -MultipleInstances IgnoreNew -ExecutionTimeLimit ([TimeSpan]::Zero) `
  -AllowStartIfOnBatteries -DontStopIfGoingOnBatteries -StartWhenAvailable
Register-ScheduledTask -TaskName $TaskName -Action $action -Trigger @($atStart, $again) -Principal $system -Settings $settings -Force | Out-Null
Start-ScheduledTask -TaskName $TaskName
Write-Output "The agent is installed and runs as the scheduled task `"$TaskName`" (Task Scheduler shows its state)."
