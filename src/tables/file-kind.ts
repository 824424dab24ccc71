import type { Fault } from '../fault.ts'
import { type TableRule, tableFault } from './table-fault.ts'

const HEAD_CHARS = 4096

/** Whether bytes begin like a ZIP archive, as `.xlsx` workbooks do. */
export function isArchive(bytes: Uint8Array): boolean {
  return startsWith(bytes, [0x50, 0x4b, 3, 4])
}

/**
 * Returns the refusal of a file whose first bytes are those of a known format that is not read; null for any other.
 * Encrypted workbooks are, as the old ones, compound files. [MS-OFFCRYPTO 2.3.4.4] [MS-CFB 2.2]
 */
export function unreadableBytes(bytes: Uint8Array): Fault | null {
  if (startsWith(bytes, [0xd0, 0xcf, 0x11, 0xe0]))
    return Buffer.from(bytes).includes(Buffer.from('EncryptedPackage', 'utf16le'))
      ? notRead('protected')
      : notRead('old_workbook')
  // Workbooks of 1992 and before have no container: BIFF2, BIFF3, BIFF4.
  return [0x00, 0x02, 0x04].some((version) => startsWith(bytes, [0x09, version, 0x06, 0x00]))
    ? notRead('old_workbook')
    : null
}

/**
 * Returns the refusal of a text that is no table but a page or XML, as programs save it under the name `.xls`; null for
 * any other.
 */
export function unreadableText(text: string): Fault | null {
  const head = text.slice(0, HEAD_CHARS).trimStart().toLowerCase()
  if (/^(<!doctype html|<html|<head|<meta|<style|<body|<table|<div|<center)\b/.test(head)) return notRead('web_page')
  if (/^mime-version:/.test(head) && head.includes('multipart/related')) return notRead('web_page')
  if (/^<\?xml\b/.test(head)) return notRead(/<html\b/.test(head) ? 'web_page' : 'xml')
  return /^<(\w+:)?(workbook|office:document)\b/.test(head) ? notRead('xml') : null
}

/** Returns the refusal of an archive without a workbook, by the names of its parts. */
export function unreadableArchive(names: readonly string[]): Fault {
  if (names.some((name) => /(^|\/)workbook\.bin$/.test(name))) return notRead('binary_workbook')
  if (names.includes('content.xml') || names.some((name) => /^index\/.*\.iwa$/.test(name)))
    return notRead('open_document')
  return tableFault('kind', 'The archive is no workbook.')
}

const sentences = {
  web_page: 'The file is a web page, whatever its name says.',
  xml: 'The file is XML, whatever its name says.',
  old_workbook: 'The file is a workbook in the format of before 2007 (.xls).',
  binary_workbook: 'The file is a binary workbook (.xlsb).',
  open_document: 'The file is a document of another spreadsheet program (.ods, .numbers).',
  protected: 'The workbook is protected by a password.',
} as const satisfies Partial<Record<TableRule, string>>

function notRead(rule: keyof typeof sentences): Fault {
  const advice =
    rule === 'protected'
      ? 'Remove the password, and save it again.'
      : 'Open it in its program and save it as .xlsx or CSV.'
  return tableFault(rule, `${sentences[rule]} ${advice}`)
}

function startsWith(bytes: Uint8Array, first: readonly number[]): boolean {
  return first.every((byte, at) => bytes[at] === byte)
}
