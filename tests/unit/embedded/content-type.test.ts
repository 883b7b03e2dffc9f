import { describe, expect, it } from 'vitest'
import { contentType, PROGRAM, servedType } from '../../../supabase/embedded/files/content-type'

const bytes = (text: string) => Buffer.from(text, 'latin1')

describe('the type of a file', () => {
  it('is that of its content, whatever it is called', () => {
    const cases: [string, string, string][] = [
      ['%PDF-1.7', 'photo.png', 'application/pdf'],
      ['\x89PNG\r\n\x1a\n', 'notes.txt', 'image/png'],
      ['\xff\xd8\xff\xe0', 'a.gif', 'image/jpeg'],
      ['RIFF\0\0\0\0WEBPVP8 ', 'a', 'image/webp'],
      ['RIFF\0\0\0\0WAVEfmt ', 'a', 'audio/wav'],
      ['\0\0\0\x18ftypheic', 'a.jpg', 'image/heic'],
      ['\0\0\0\x18ftypisom', 'a.jpg', 'video/mp4'],
      [
        'PK\x03\x04\x14\0...[Content_Types].xml',
        'a.docx',
        'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      ],
      ['PK\x03\x04\x14\0...[Content_Types].xml', 'a.zip', 'application/zip'],
      ['PK\x03\x04\x14\0...other', 'a.docx', 'application/zip'],
      ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'a.xls', 'application/vnd.ms-excel'],
      ['name;city\nAyşe;İzmir', 'a.csv', 'text/csv'],
      ['BM is how a text begins', 'a.txt', 'text/plain'],
      ['\0\x01\x02\x03', 'a.txt', 'application/octet-stream'],
      ['', 'a.txt', 'text/plain'],
    ]
    for (const [text, name, type] of cases)
      expect([name, contentType(bytes(text), name)]).toEqual([name, type])
  })

  it('is a program for whatever a system starts, installs or follows', () => {
    const cases: [string, string][] = [
      ['MZ\x90\0', 'a.txt'],
      ['\x7fELF\x02', 'a.png'],
      ['\xcf\xfa\xed\xfe', 'a'],
      ['\xca\xfe\xba\xbe', 'a.class'],
      ['L\0\0\0\x01\x14\x02\0', 'a.pdf'],
      ['#!/bin/sh\n', 'a.txt'],
      ['!<arch>\ndebian-binary', 'a'],
      ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'setup.msi'],
      ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'photo.jpg'],
      ['\xff\xfe[\0I\0n\0t\0e\0r\0n\0e\0t\0S\0h\0o\0r\0t\0c\0u\0t\0]\0', 'a.txt'],
      ['# comment\n[Desktop Entry]\nExec=x', 'a.txt'],
      ['PK\x03\x04......META-INF/MANIFEST.MF', 'a.zip'],
    ]
    for (const [text, name] of cases) expect([text, contentType(bytes(text), name)]).toEqual([text, PROGRAM])
  })

  it('is sent as bytes where a browser might run it', () => {
    const cases: [string, string][] = [
      ['<!DOCTYPE html><p>', 'text/html'],
      ['\xef\xbb\xbf   <html>', 'text/html'],
      ['plain words, then <script>alert(1)</script>', 'text/html'],
      ['<?xml version="1.0"?><svg onload="x">', 'image/svg+xml'],
      ['<?xml version="1.0"?><a/>', 'application/xml'],
    ]
    for (const [text, type] of cases) {
      expect([text, contentType(bytes(text), 'a.txt')]).toEqual([text, type])
      expect(servedType(type)).toBe('application/octet-stream')
    }
    expect(servedType('text/csv')).toBe('text/csv; charset=utf-8')
    expect(servedType('image/png')).toBe('image/png')
  })
})
