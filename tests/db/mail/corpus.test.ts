import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { contentType, PROGRAM } from '../../../supabase/embedded/files/content-type'
import { MailReader, type ReadMail, UnreadableMail } from '../../../supabase/embedded/mail/reader'
import { decodeToken, encodeToken } from '../../../supabase/embedded/mail/reply-token'

const reader = new MailReader({ authserv: 'mx.desk.test' })
afterAll(() => reader.close())

const HEAD = [
  'From: Ada <ada@x.test>',
  'To: help@acme.test',
  'Subject: S',
  'Message-ID: <1@x.test>',
  'MIME-Version: 1.0',
]
const raw = (headers: string[], body: string | Buffer, head = HEAD) =>
  Buffer.concat([Buffer.from([...head, ...headers, '', ''].join('\r\n')), Buffer.from(body)])
const plain = (body: string | Buffer, charset = 'utf-8', ...more: string[]) =>
  raw([`Content-Type: text/plain; charset=${charset}`, ...more], body)
const html = (body: string) => raw(['Content-Type: text/html; charset=utf-8'], body)
const multipart = (kind: string, ...parts: string[]) =>
  raw(
    [`Content-Type: multipart/${kind}; boundary="b"`],
    `${parts.map((part) => `--b\r\n${part}\r\n`).join('')}--b--\r\n`,
  )
const attachment = (name: string, content: Buffer, type = 'application/octet-stream') =>
  [
    `Content-Type: ${type}; name="${name}"`,
    `Content-Disposition: attachment; filename="${name}"`,
    'Content-Transfer-Encoding: base64',
    '',
    content.toString('base64').replace(/.{76}/g, '$&\r\n'),
  ].join('\r\n')
const text = (body: string) => `Content-Type: text/plain; charset=utf-8\r\n\r\n${body}`

const body = async (mail: Buffer) => (await reader.read(mail)).body

describe('the text of a mail', () => {
  it.each<[string, Buffer, string]>([
    ['plain UTF-8', plain('Merhaba dünya'), 'Merhaba dünya'],
    ['Turkish in windows-1254', plain(Buffer.from([0xde, 0x69, 0x66, 0x72, 0x65]), 'windows-1254'), 'Şifre'],
    [
      'Turkish in iso-8859-9',
      plain(Buffer.from([0x79, 0x61, 0x7a, 0xfd, 0x63, 0xfd]), 'iso-8859-9'),
      'yazıcı',
    ],
    ['Turkish by the name latin5', plain(Buffer.from([0xf0]), 'latin5'), 'ğ'],
    [
      'windows-1254 that is declared as UTF-8',
      plain(Buffer.from([0xfe, 0x69, 0x66, 0x72, 0x65]), 'utf-8'),
      'şifre',
    ],
    ['UTF-8 that is declared as iso-8859-1', plain('ığüşöç', 'iso-8859-1'), 'ığüşöç'],
    ['UTF-8 that is declared as us-ascii', plain('çok', 'us-ascii'), 'çok'],
    ['a charset that nobody knows', plain(Buffer.from([0xe7, 0x6f, 0x6b]), 'x-klingon'), 'çok'],
    ['no charset at all', raw(['Content-Type: text/plain'], Buffer.from([0xe7, 0x6f, 0x6b])), 'çok'],
    ['no content type at all', raw([], 'Hello'), 'Hello'],
    ['UTF-7, which hides markup', plain('+ADw-script+AD4-', 'utf-7'), '+ADw-script+AD4-'],
    [
      'quoted-printable',
      plain('=C3=BClke ad=C4=B1=\r\n uzun', 'utf-8', 'Content-Transfer-Encoding: quoted-printable'),
      'ülke adı uzun',
    ],
    [
      'broken quoted-printable',
      plain('100% =ZZ =', 'utf-8', 'Content-Transfer-Encoding: quoted-printable'),
      '100% =ZZ',
    ],
    [
      'base64',
      plain(Buffer.from('Merhaba').toString('base64'), 'utf-8', 'Content-Transfer-Encoding: base64'),
      'Merhaba',
    ],
    [
      'format=flowed',
      raw(['Content-Type: text/plain; charset=utf-8; format=flowed'], 'one \r\nline\r\n'),
      'one line',
    ],
    ['lines that stay lines', plain('one\r\ntwo\r\n\r\nthree'), 'one  \ntwo\n\nthree'],
    ['a line that looks like a heading', plain('# 42 is broken'), '\\# 42 is broken'],
    [
      'a mention that mentions nobody',
      plain('[@Ada](mention:00000000-0000-0000-0000-000000000000)'),
      '[@Ada] (mention:00000000-0000-0000-0000-000000000000)',
    ],
    ['marks that turn the direction of text', plain('a\u202eb\u0007c'), 'abc'],
    ['an empty mail', plain(''), ''],
    [
      'HTML with a script, a form and a picture',
      html(
        '<p>Hi <b>you</b></p><script>alert(1)</script><form><input value=x></form><img src="https://evil.test/p.png"><a href="javascript:alert(1)">go</a> <a href="https://x.test/a">ok</a>',
      ),
      'Hi **you**\n\ngo [ok](https://x.test/a)',
    ],
    [
      'HTML that spells a tag',
      html('<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>'),
      '<script>alert(1)</script>',
    ],
    ['HTML that is not closed', html('<div><p>one<p>two<table><tr><td>three'), 'one\n\ntwo\n\nthree'],
    [
      'both kinds, of which the plain one is enough',
      multipart('alternative', text('Plain words'), 'Content-Type: text/html\r\n\r\n<p>Plain words</p>'),
      'Plain words',
    ],
    [
      'a boundary that never ends',
      raw(
        ['Content-Type: multipart/mixed; boundary="b"'],
        '--b\r\nContent-Type: text/plain\r\n\r\nStill here',
      ),
      'Still here',
    ],
  ])('%s', async (_name, mail, expected) => {
    expect(await body(mail)).toBe(expected)
  })

  it('without its boundary is still kept', async () => {
    const mail = await reader.read(raw(['Content-Type: multipart/mixed'], 'No parts at all'))
    expect(mail.from).toBe('ada@x.test')
  })
})

describe('what a mail quotes', () => {
  it.each<[string, string, string]>([
    ['Gmail', 'Yes.\n\nOn Mon, Mar 3, 2025 at 10:00 AM Desk <d@x.test> wrote:\n> old', 'Yes.'],
    [
      'Gmail over two lines',
      'Yes.\n\nOn Mon, Mar 3, 2025 at 10:00 AM Service Desk of Acme\n<d@x.test> wrote:\n> old',
      'Yes.',
    ],
    [
      'Gmail in Turkish',
      'Evet.\n\nDesk <d@x.test>, 3 Mar 2025 Pzt, 10:00 tarihinde şunu yazdı:\n> eski',
      'Evet.',
    ],
    [
      'Outlook',
      'Yes.\n\n________________________________\nFrom: Desk <d@x.test>\nSent: Monday\nTo: Ada\nSubject: S\n\nold',
      'Yes.',
    ],
    [
      'Outlook in Turkish',
      'Evet.\n\nKimden: Desk <d@x.test>\nGönderildi: Pazartesi\nKime: Ada\nKonu: S\n\neski',
      'Evet.',
    ],
    ['an older Outlook', 'Yes.\n\n-----Original Message-----\nFrom: Desk\nold', 'Yes.'],
    ['our own line', 'Yes.\n\n##- Write your reply above this line -## [abc]\n\nold', 'Yes.'],
    ['a signature', 'Yes.\n\n-- \nAda\n+90 555', 'Yes.'],
    ['lines with marks alone', 'Yes.\n\n> one\n> two', 'Yes.'],
  ])('%s is folded and kept', async (_name, written, answer) => {
    const read = await body(plain(written))
    const [first, ...rest] = read.split('\n\n')
    expect(first).toBe(answer)
    expect(rest.join('\n\n')).toMatch(/^> /)
    const kept = written.split('\n').at(-1)?.replace(/^> /, '') as string
    expect(rest.join('\n\n')).toContain(kept)
  })

  it('stays in its place where the answer is between or below it', async () => {
    expect(await body(plain('> Is it plugged in?\nYes.\n> And on?\nNo.'))).toContain('No.')
    expect(await body(plain('From: here on it failed'))).toBe('From: here on it failed')
  })
})

const attachmentsOf = ({ attachments }: ReadMail) =>
  attachments.map(({ name, content }) => [name, content.byteLength] as const)

describe('what is attached', () => {
  it('is named without a folder', async () => {
    const mail = await reader.read(
      multipart(
        'mixed',
        text('See'),
        attachment('../../etc/passwd', Buffer.from('x')),
        attachment('C:\\\\a\\\\b.txt', Buffer.from('yy')),
      ),
    )
    expect(attachmentsOf(mail)).toEqual([
      ['passwd', 1],
      ['b.txt', 2],
    ])
  })

  it.each<[string, Buffer, string]>([
    ['a shortcut', Buffer.from([0x4c, 0, 0, 0, 0x01, 0x14, 0x02, 0]), 'photo.jpg'],
    ['a program', Buffer.from('MZ\x90\0'), 'invoice.pdf'],
    ['a script', Buffer.from('#!/bin/sh\nrm -rf /'), 'notes.txt'],
  ])('%s is known by its content', async (_name, content, name) => {
    const mail = await reader.read(multipart('mixed', text('See'), attachment(name, content)))
    expect(contentType(Buffer.from(mail.attachments[0]?.content as Uint8Array), name)).toBe(PROGRAM)
  })

  it('an SVG with a script is a file that no browser shows', async () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
    const mail = await reader.read(multipart('mixed', text('See'), attachment('a.png', svg, 'image/png')))
    expect(contentType(Buffer.from(mail.attachments[0]?.content as Uint8Array), 'a.png')).toBe(
      'image/svg+xml',
    )
  })

  it('a zip bomb is a file that is never unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024))
    const started = Date.now()
    const mail = await reader.read(multipart('mixed', text('See'), attachment('bomb.gz', bomb)))
    expect(attachmentsOf(mail)).toEqual([['bomb.gz', bomb.length]])
    expect(Date.now() - started).toBeLessThan(10_000)
  })

  it('TNEF of Outlook stays a file', async () => {
    const mail = await reader.read(
      multipart(
        'mixed',
        text('See'),
        attachment('winmail.dat', Buffer.from([0x78, 0x9f, 0x3e, 0x22]), 'application/ms-tnef'),
      ),
    )
    expect(attachmentsOf(mail)).toEqual([['winmail.dat', 4]])
    expect(mail.body).toBe('See')
  })

  it('a mail within a mail does not speak for the outer one', async () => {
    const inner = [
      'From: boss@x.test',
      'To: you@x.test',
      'Subject: Inner',
      'Auto-Submitted: auto-replied',
      '',
      'Inner words',
    ].join('\r\n')
    const mail = await reader.read(
      multipart('mixed', text('Outer words'), `Content-Type: message/rfc822\r\n\r\n${inner}`),
    )
    expect([mail.from, mail.machine]).toEqual(['ada@x.test', null])
    expect(mail.body).toContain('Outer words')
  })

  it('beyond the fiftieth is left out', async () => {
    const mail = await reader.read(
      multipart(
        'mixed',
        text('See'),
        ...Array.from({ length: 80 }, (_, at) => attachment(`${at}.txt`, Buffer.from('x'))),
      ),
    )
    expect(mail.attachments).toHaveLength(50)
  })
})

describe('bad input', () => {
  it('200 recipients are all looked at', async () => {
    const to = Array.from({ length: 200 }, (_, at) => `p${at}@x.test`)
    const mail = await reader.read(
      raw([], 'Hello', ['From: ada@x.test', `To: ${to.join(',\r\n ')}`, 'Cc: help@acme.test']),
    )
    expect(mail.to).toHaveLength(201)
    expect(mail.to).toContain('help@acme.test')
  })

  it.each<[string, Buffer]>([
    ['a subject', raw([], 'x', ['From: a@x.test', `Subject: ${'x'.repeat(499)}😀`])],
    ['a name', raw([], 'x', [`From: "${'x'.repeat(99)}😀" <a@x.test>`])],
    ['a text', plain(`${'x'.repeat(18_999)}😀`.repeat(2))],
    [
      'a file name',
      multipart('mixed', text('See'), attachment(`😀${'x'.repeat(145)}.txt`, Buffer.from('x'))),
    ],
    ['a Message-ID', raw([], 'x', ['From: a@x.test', 'Message-ID: <a\0@x.test>'])],
    ['a reference', raw(['References: <a\0@x.test>'], 'x')],
  ])('%s is kept without what the database refuses, such as half of an emoji', async (_name, mail) => {
    const { attachments, ...read } = await reader.read(mail)
    const sent = JSON.stringify([read, attachments.map(({ name }) => name)])
    expect(sent).not.toMatch(/\\u(?:0000|d[89a-f]..)/i)
    expect(sent).toMatch(/x{95}|<a@x\.test>/)
  })

  it('a text of 10 MB is cut, and whole in a file', async () => {
    const long = 'Lorem ipsum dolor.\n'.repeat((10 * 1024 * 1024) / 19)
    const mail = await reader.read(plain(long))
    expect(mail.body.length).toBeLessThanOrEqual(19_001)
    expect(mail.attachments.map(({ name }) => name)).toEqual(['message.txt'])
    expect(mail.attachments[0]?.content.byteLength).toBeGreaterThan(10_000_000)
  })

  it.each<[string, Buffer]>([
    ['no sender', raw([], 'Hello', ['To: help@acme.test'])],
    ['a sender without an address', raw([], 'Hello', ['From: Ada'])],
    ['bytes', Buffer.from([0, 1, 2, 255, 254, 10, 13])],
    ['nothing', Buffer.from(' ')],
  ])('%s is unreadable, with words', async (_name, mail) => {
    await expect(reader.read(mail)).rejects.toThrow('The message names no sender.')
  })

  it.each([' ', '\t', '\u00a0', '\n'])('a line of 1 MB of %j is read', async (sign) => {
    const mail = await reader.read(plain(`Hello\n${sign.repeat(1_000_000)}x`))
    expect(mail.body).toMatch(/^Hello/)
    expect(mail.attachments.at(-1)?.name ?? mail.body.at(-1)).toMatch(/^(?:message\.txt|x)$/)
  })

  it('HTML with more than 30,000 elements is read at its beginning, with all that is attached', async () => {
    const mail = await reader.read(
      multipart(
        'mixed',
        `Content-Type: text/html\r\n\r\n<p>Hello</p>${'<div>'.repeat(200_000)}deep`,
        attachment('a.txt', Buffer.from('x')),
      ),
    )
    expect(mail).toMatchObject({ subject: 'S', from: 'ada@x.test', is_html_cut: true })
    expect(mail.body).toMatch(/^Hello/)
    expect(attachmentsOf(mail)).toEqual([['a.txt', 1]])
    const whole = await reader.read(html('<p>Hello</p>'.repeat(15_000)))
    expect([whole.is_html_cut, whole.attachments[0]?.content.byteLength]).toEqual([
      false,
      15_000 * 'Hello\n\n'.length - 2,
    ])
  })

  it('the text part is taken where the HTML is too large', async () => {
    const mail = await reader.read(
      multipart(
        'alternative',
        text('In words'),
        `Content-Type: text/html\r\n\r\n${'<b>x</b>'.repeat(40_000)}`,
      ),
    )
    expect([mail.body, mail.is_html_cut]).toEqual(['In words', false])
  })

  it('a thousand nested parts and elements end in an answer', async () => {
    const nested = `${'<div>'.repeat(50_000)}deep${'</div>'.repeat(50_000)}`
    await reader.read(html(nested)).catch((error: unknown) => expect(error).toBeInstanceOf(UnreadableMail))
    const parts = Array.from(
      { length: 1000 },
      (_, at) => `--b${at}\r\nContent-Type: multipart/mixed; boundary=b${at + 1}\r\n\r\n`,
    ).join('')
    await reader
      .read(raw(['Content-Type: multipart/mixed; boundary=b0'], parts))
      .catch((error: unknown) => expect(error).toBeInstanceOf(UnreadableMail))
    // The thread goes on with the next mail.
    expect(await body(plain('Next'))).toBe('Next')
  })

  it('a mail that takes too long is given up, and the next one is read', async () => {
    const hasty = new MailReader({ timeoutMs: 1 })
    await expect(hasty.read(plain('x'.repeat(1_000_000)))).rejects.toThrow('took too long')
    await hasty.close()
  })
})

describe('what leads to a ticket', () => {
  const hex = 'f00d'.repeat(16)
  const token = encodeToken(hex)

  it('is a token of 256 bits, in 52 letters', () => {
    expect(token).toMatch(/^[a-z2-7]{52}$/)
    expect(decodeToken(token)).toBe(hex)
    expect(decodeToken(encodeToken('0'.repeat(64)))).toBe('0'.repeat(64))
    expect(decodeToken(`${token}a`)).toBeNull()
    expect(decodeToken('b'.repeat(52))).toBeNull()
  })

  it.each<[string, Buffer]>([
    ['the address', raw([], 'x', ['From: a@x.test', `To: reply+${token.toUpperCase()}@desk.test`])],
    ['the subject', raw([], 'x', ['From: a@x.test', 'To: help@acme.test', `Subject: Re: [#1] x [${token}]`])],
    ['the header', raw([`X-Konsol-Token: ${token}`], 'x')],
    ['the line to answer above', plain(`Yes\n> ##- Write your reply above this line -## [${token}]`)],
    ['the line, in HTML', html(`<p>Yes</p><p>##- Reply above -## [${token}]</p>`)],
  ])('is found in %s', async (_name, mail) => {
    expect((await reader.read(mail)).tokens).toEqual([hex])
  })

  it('are the ids of the thread', async () => {
    const mail = await reader.read(raw(['In-Reply-To: <b@x>', 'References: <a@x>\r\n <b@x>'], 'x'))
    expect(mail.references).toEqual(['<b@x>', '<a@x>'])
  })
})
