-- Demo data, part 7: the app store's catalog, and what companies pack themselves. The download addresses lead nowhere.
set app.quiet = 'on';

insert into public.apps (id, name, publisher, category, description, homepage, winget_id, choco_id, apt_id, brew_id, enabled, created_at)
select app.demo_id('app/' || a.name), a.name, a.publisher, a.category, a.description, a.homepage, a.winget, a.choco, a.apt, a.brew,
  a.name <> 'Rufus', now() - make_interval(days => 60 + app.demo_pick(a.name, 200))
from (values
  ('Firefox', 'Mozilla', 'browsers', 'Web browser that keeps trackers out.', 'https://www.mozilla.org/firefox/', 'Mozilla.Firefox', 'firefox', 'firefox-esr', 'firefox'),
  ('Google Chrome', 'Google', 'browsers', 'Web browser.', 'https://www.google.com/chrome/', 'Google.Chrome', 'googlechrome', null, 'google-chrome'),
  ('Microsoft Edge', 'Microsoft', 'browsers', 'Web browser.', 'https://www.microsoft.com/edge', 'Microsoft.Edge', 'microsoft-edge', null, 'microsoft-edge'),
  ('Brave', 'Brave Software', 'browsers', 'Web browser with a built-in blocker.', 'https://brave.com', 'Brave.Brave', 'brave', null, 'brave-browser'),
  ('Vivaldi', 'Vivaldi Technologies', 'browsers', 'Web browser with many settings.', 'https://vivaldi.com', 'Vivaldi.Vivaldi', 'vivaldi', null, 'vivaldi'),
  ('Thunderbird', 'Mozilla', 'communication', 'Mail, calendar and contacts.', 'https://www.thunderbird.net', 'Mozilla.Thunderbird', 'thunderbird', 'thunderbird', 'thunderbird'),
  ('Zoom', 'Zoom Communications', 'communication', 'Video calls and meetings.', 'https://zoom.us', 'Zoom.Zoom', 'zoom', null, 'zoom'),
  ('Microsoft Teams', 'Microsoft', 'communication', 'Chat, calls and meetings.', 'https://www.microsoft.com/teams', 'Microsoft.Teams', 'microsoft-teams', null, 'microsoft-teams'),
  ('Slack', 'Slack Technologies', 'communication', 'Team chat.', 'https://slack.com', 'SlackTechnologies.Slack', 'slack', null, 'slack'),
  ('Signal', 'Signal Foundation', 'communication', 'Private messages.', 'https://signal.org', 'OpenWhisperSystems.Signal', 'signal', null, 'signal'),
  ('Element', 'Element', 'communication', 'Chat on the Matrix network.', 'https://element.io', 'Element.Element', 'element-desktop', 'element-desktop', 'element'),
  ('Visual Studio Code', 'Microsoft', 'development', 'Code editor.', 'https://code.visualstudio.com', 'Microsoft.VisualStudioCode', 'vscode', null, 'visual-studio-code'),
  ('Git', 'The Git project', 'development', 'Version control.', 'https://git-scm.com', 'Git.Git', 'git', 'git', 'git'),
  ('Node.js', 'OpenJS Foundation', 'development', 'JavaScript runtime, long-term support.', 'https://nodejs.org', 'OpenJS.NodeJS.LTS', 'nodejs-lts', 'nodejs', 'node'),
  ('Python 3', 'Python Software Foundation', 'development', 'Programming language.', 'https://www.python.org', 'Python.Python.3.12', 'python3', 'python3', 'python@3.12'),
  ('Docker Desktop', 'Docker', 'development', 'Containers on the desktop.', 'https://www.docker.com', 'Docker.DockerDesktop', 'docker-desktop', null, 'docker'),
  ('IntelliJ IDEA Community', 'JetBrains', 'development', 'Java IDE.', 'https://www.jetbrains.com/idea/', 'JetBrains.IntelliJIDEA.Community', 'intellijidea-community', null, 'intellij-idea-ce'),
  ('DBeaver', 'DBeaver', 'development', 'Database client.', 'https://dbeaver.io', 'dbeaver.dbeaver', 'dbeaver', null, 'dbeaver-community'),
  ('PuTTY', 'Simon Tatham', 'development', 'SSH client.', 'https://www.chiark.greenend.org.uk/~sgtatham/putty/', 'PuTTY.PuTTY', 'putty', 'putty', 'putty'),
  ('PowerShell 7', 'Microsoft', 'development', 'Shell and scripting language.', 'https://learn.microsoft.com/powershell/', 'Microsoft.PowerShell', 'powershell-core', null, 'powershell'),
  ('VLC media player', 'VideoLAN', 'media', 'Plays nearly everything.', 'https://www.videolan.org', 'VideoLAN.VLC', 'vlc', 'vlc', 'vlc'),
  ('GIMP', 'The GIMP team', 'media', 'Image editor.', 'https://www.gimp.org', 'GIMP.GIMP', 'gimp', 'gimp', 'gimp'),
  ('Inkscape', 'The Inkscape project', 'media', 'Vector graphics.', 'https://inkscape.org', 'Inkscape.Inkscape', 'inkscape', 'inkscape', 'inkscape'),
  ('Audacity', 'Audacity Team', 'media', 'Sound recorder and editor.', 'https://www.audacityteam.org', 'Audacity.Audacity', 'audacity', 'audacity', 'audacity'),
  ('OBS Studio', 'OBS Project', 'media', 'Screen recording and streaming.', 'https://obsproject.com', 'OBSProject.OBSStudio', 'obs-studio', 'obs-studio', 'obs'),
  ('Blender', 'Blender Foundation', 'media', '3D modelling.', 'https://www.blender.org', 'BlenderFoundation.Blender', 'blender', 'blender', 'blender'),
  ('LibreOffice', 'The Document Foundation', 'productivity', 'Office suite.', 'https://www.libreoffice.org', 'TheDocumentFoundation.LibreOffice', 'libreoffice-fresh', 'libreoffice', 'libreoffice'),
  ('Adobe Acrobat Reader', 'Adobe', 'productivity', 'PDF reader.', 'https://get.adobe.com/reader/', 'Adobe.Acrobat.Reader.64-bit', 'adobereader', null, 'adobe-acrobat-reader'),
  ('SumatraPDF', 'Krzysztof Kowalczyk', 'productivity', 'Small, fast PDF reader.', 'https://www.sumatrapdfreader.org', 'SumatraPDF.SumatraPDF', 'sumatrapdf', null, null),
  ('Obsidian', 'Obsidian', 'productivity', 'Notes in Markdown.', 'https://obsidian.md', 'Obsidian.Obsidian', 'obsidian', null, 'obsidian'),
  ('Notion', 'Notion Labs', 'productivity', 'Notes and projects.', 'https://www.notion.so', 'Notion.Notion', 'notion', null, 'notion'),
  ('Joplin', 'Laurent Cozic', 'productivity', 'Notes with synchronisation.', 'https://joplinapp.org', 'Joplin.Joplin', 'joplin', null, 'joplin'),
  ('Nextcloud Desktop', 'Nextcloud', 'productivity', 'File synchronisation.', 'https://nextcloud.com', 'Nextcloud.NextcloudDesktop', 'nextcloud-client', 'nextcloud-desktop', 'nextcloud'),
  ('KeePassXC', 'KeePassXC Team', 'security', 'Password manager.', 'https://keepassxc.org', 'KeePassXCTeam.KeePassXC', 'keepassxc', 'keepassxc', 'keepassxc'),
  ('Bitwarden', 'Bitwarden', 'security', 'Password manager with a server.', 'https://bitwarden.com', 'Bitwarden.Bitwarden', 'bitwarden', null, 'bitwarden'),
  ('WireGuard', 'WireGuard', 'security', 'VPN.', 'https://www.wireguard.com', 'WireGuard.WireGuard', 'wireguard', 'wireguard', 'wireguard-tools'),
  ('OpenVPN Connect', 'OpenVPN', 'security', 'VPN client.', 'https://openvpn.net', 'OpenVPNTechnologies.OpenVPNConnect', 'openvpn-connect', 'openvpn', 'openvpn-connect'),
  ('VeraCrypt', 'IDRIX', 'security', 'Disk encryption.', 'https://www.veracrypt.fr', 'IDRIX.VeraCrypt', 'veracrypt', null, 'veracrypt'),
  ('Malwarebytes', 'Malwarebytes', 'security', 'Finds malware.', 'https://www.malwarebytes.com', 'Malwarebytes.Malwarebytes', 'malwarebytes', null, 'malwarebytes'),
  ('7-Zip', 'Igor Pavlov', 'utilities', 'Archives of every kind.', 'https://www.7-zip.org', '7zip.7zip', '7zip', '7zip', 'sevenzip'),
  ('Notepad++', 'Don Ho', 'utilities', 'Text editor.', 'https://notepad-plus-plus.org', 'Notepad++.Notepad++', 'notepadplusplus', null, null),
  ('WinSCP', 'Martin Přikryl', 'utilities', 'File transfer over SSH.', 'https://winscp.net', 'WinSCP.WinSCP', 'winscp', null, null),
  ('FileZilla', 'Tim Kosse', 'utilities', 'File transfer.', 'https://filezilla-project.org', null, 'filezilla', 'filezilla', null),
  ('Everything', 'voidtools', 'utilities', 'Finds files at once.', 'https://www.voidtools.com', 'voidtools.Everything', 'everything', null, null),
  ('PowerToys', 'Microsoft', 'utilities', 'Helpers for Windows.', 'https://learn.microsoft.com/windows/powertoys/', 'Microsoft.PowerToys', 'powertoys', null, null),
  ('ShareX', 'ShareX Team', 'utilities', 'Screenshots.', 'https://getsharex.com', 'ShareX.ShareX', 'sharex', null, null),
  ('RustDesk', 'RustDesk', 'utilities', 'Remote desktop.', 'https://rustdesk.com', 'RustDesk.RustDesk', 'rustdesk', null, 'rustdesk'),
  ('Rufus', 'Pete Batard', 'utilities', 'Writes USB sticks.', 'https://rufus.ie', 'Rufus.Rufus', 'rufus', null, null)
) as a (name, publisher, category, description, homepage, winget, choco, apt, brew)
on conflict do nothing;

insert into public.corporate_apps (id, company_id, name, package_version, publisher, platform, description, source_url, sha256,
  install_arguments, detection_rule, success_codes, reboot_codes, created_by, created_at, updated_at)
select app.demo_id('package/' || a.company || a.platform || a.name), app.demo_id('company/' || a.company), a.name, a.version, a.publisher,
  a.platform, a.description, 'https://packages.' || a.company || '.test' || a.file,
  encode(sha256(convert_to(a.company || a.file, 'UTF8')), 'hex'), a.arguments, a.rule, a.success, a.reboot,
  (select p.id from public.profiles p where p.email = 'admin@' || a.company || '.test'),
  now() - make_interval(days => 10 + app.demo_pick(a.name, 110)), now() - make_interval(days => app.demo_pick(a.name, 10))
from (values
  ('acme', 'ACME ERP İstemcisi', '8.4.2', 'ACME Yazılım', 'windows', 'Muhasebe ve stok için masaüstü istemcisi.', '/erp-client-8.4.2.msi', '/qn /norestart ERPSERVER=erp.acme.test', 'C:\Program Files\ACME\ERP\erp.exe', '0', '3010, 1641'),
  ('acme', 'ACME Kök Sertifikası', '2026.1', 'ACME BT', 'windows', 'Şirket içi sayfaların sertifikası.', '/acme-root-2026.msi', '/qn', 'HKLM\SOFTWARE\Microsoft\SystemCertificates\ROOT\Certificates', '0', null),
  ('acme', 'Barkod Yazdırma', '3.1.0', 'Depo Çözümleri A.Ş.', 'windows', 'Depo etiketleri.', '/barkod-3.1.0.exe', '/S', 'C:\Program Files\Barkod\barkod.exe', '0', '3010'),
  ('acme', 'e-İmza Sürücüsü', '5.7', 'Güven Elektronik', 'windows', 'Kart okuyucu ve e-imza.', '/eimza-5.7.msi', '/qn REBOOT=ReallySuppress', 'C:\Program Files\eImza\eimza.dll', '0', '3010'),
  ('acme', 'ACME VPN Profili', '12', 'ACME BT', 'macos', 'VPN ayarları ve sertifikası.', '/acme-vpn-12.pkg', null, '/Library/Application Support/ACME/vpn.plist', '0', null),
  ('acme', 'Toplantı Odası Ekranı', '1.9.3', 'ACME BT', 'linux', 'Kapı önü ekranları.', '/room-panel_1.9.3_amd64.deb', null, 'room-panel', '0', null),
  ('acme', 'Depo El Terminali', '2.2', 'Depo Çözümleri A.Ş.', 'windows', null, '/terminal-2.2.msi', '/qn', 'C:\Program Files\Terminal\terminal.exe', '0', '3010'),
  ('acme', 'İnsan Kaynakları Portalı', '4.0.1', 'ACME Yazılım', 'macos', 'Masaüstü kısayolu ve bildirimler.', '/ik-portal-4.0.1.pkg', null, '/Applications/IK Portal.app', '0', null),
  ('globex', 'Globex Timesheet', '6.2', 'Globex', 'windows', 'Hours and projects.', '/timesheet-6.2.msi', '/qn', 'C:\Program Files\Globex\Timesheet\timesheet.exe', '0', '3010'),
  ('globex', 'Globex VPN', '2026.3', 'Globex IT', 'windows', 'Client with the company profile.', '/vpn-2026.3.msi', '/qn /norestart', 'C:\Program Files\Globex VPN\vpn.exe', '0', '3010, 1641'),
  ('globex', 'Globex VPN', '2026.3', 'Globex IT', 'macos', 'Client with the company profile.', '/vpn-2026.3.pkg', null, '/Applications/Globex VPN.app', '0', null),
  ('globex', 'CAD Plug-ins', '14', 'Globex Engineering', 'windows', 'Title blocks and part libraries.', '/cad-plugins-14.exe', '/VERYSILENT /NORESTART', 'C:\ProgramData\Globex\cad-plugins\version.txt', '0', null),
  ('globex', 'Lab Recorder', '0.9.8', 'Globex Research', 'linux', 'Records the test benches.', '/lab-recorder_0.9.8_amd64.deb', null, 'lab-recorder', '0', null),
  ('globex', 'Screen Saver and Fonts', '2026', 'Globex Brand', 'windows', null, '/brand-2026.msi', '/qn', 'C:\Windows\Fonts\GlobexSans.ttf', '0', null),
  ('initech', 'TPS Report Writer', '2.1', 'Initech', 'windows', 'With the new cover sheet.', '/tps-2.1.msi', '/qn', 'C:\Program Files\Initech\TPS\tps.exe', '0', '3010'),
  ('initech', 'Initech Fax', '1.4', 'Initech', 'windows', null, '/fax-1.4.exe', '/S', 'C:\Program Files\Initech\Fax\fax.exe', '0', null),
  ('initech', 'Stapler Inventory', '1.0', 'Milton Waddams', 'windows', 'Counts the red ones.', '/stapler-1.0.msi', '/qn', 'C:\Program Files\Stapler\stapler.exe', '0', null),
  ('hooli', 'Hooli Box', '5.5', 'Hooli', 'macos', 'Storage client.', '/box-5.5.pkg', null, '/Applications/Hooli Box.app', '0', null),
  ('hooli', 'Hooli Chat', '11.2', 'Hooli', 'macos', null, '/chat-11.2.pkg', null, '/Applications/Hooli Chat.app', '0', null),
  ('hooli', 'Nucleus Codec', '0.3', 'Hooli XYZ', 'linux', 'Preview.', '/nucleus_0.3_amd64.deb', null, 'nucleus', '0', null),
  ('umbra', 'Umbra Ledger', '7.0', 'Umbra', 'windows', 'Ledger client.', '/ledger-7.0.msi', '/qn', 'C:\Program Files\Umbra\ledger.exe', '0', '3010')
) as a (company, name, version, publisher, platform, description, file, arguments, rule, success, reboot)
on conflict do nothing;

-- Tasks of the store that wait for devices that are offline.
insert into public.jobs (id, company_id, kind, name, script_type, script, script_sha256, timeout_seconds, created_by, expires_at, status,
  total, created_at)
select app.demo_id('app-job/' || a.id), app.demo_id('company/acme'), 'task', j.name, 'Agent', s.script,
  encode(sha256(convert_to(s.script, 'UTF8')), 'hex'), 3600,
  (select p.id from public.profiles p where p.email = 'admin@acme.test'), now() + interval '20 hours', 'running', 4, now() - interval '4 hours'
from (values ('Firefox', 'Update Firefox', 'update'), ('KeePassXC', 'Install KeePassXC', 'install')) as j (app, name, act)
join public.apps a on a.name = j.app
cross join lateral (select jsonb_build_object('task', 'app', 'act', j.act, 'app_id', a.id, 'name', a.name,
  'ids', jsonb_strip_nulls(jsonb_build_object('apt', a.apt_id, 'winget', a.winget_id, 'choco', a.choco_id, 'brew', a.brew_id)))::text as script) s
on conflict do nothing;

insert into public.job_runs (id, company_id, job_id, device_id, status, attempt, queued_at)
select app.demo_id('app-run/' || j.id || d.id), j.company_id, j.id, d.id, 'queued', 0, j.created_at
from public.jobs j
cross join lateral (
  select x.id from public.devices x where x.company_id = j.company_id and x.status = 'offline' and x.machine_id like 'demo-%'
  order by x.id limit 4) d
where j.id in (select app.demo_id('app-job/' || a.id) from public.apps a)
on conflict do nothing;

reset app.quiet;
