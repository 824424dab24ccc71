import { Unzip, UnzipInflate } from 'fflate'
import sax from 'sax'
import type { Fault } from '../../fault.ts'
import { tableFault } from './table-fault.ts'

/** Inflated bytes of all parts that are read. */
const INFLATED_BYTES_MAX = 48 * 1024 * 1024
/** Compressed bytes a step: DEFLATE grows them 1,032 times at most, so that a step ends soon after the limit. */
const STEP_BYTES = 4096
const ENTRIES_MAX = 5000

/**
 * Inflates parts of a workbook, which is a ZIP archive, step by step; what is not wanted is not inflated.
 *
 * @throws Fault `request.invalid` with the rule `kind` for a broken archive, `bytes` above 48 MiB
 */
export function workbookParts(archive: Uint8Array, isWanted: (name: string) => boolean): Map<string, Buffer> {
  const parts = new Map<string, Part>()
  // Not thrown where they are found: the library catches what its callbacks throw.
  let fault: Fault | null = null
  let [bytes, entries] = [0, 0]
  const unzip = new Unzip((file) => {
    entries += 1
    if (entries > ENTRIES_MAX) fault = tooLarge()
    if (!isWanted(file.name) || parts.has(file.name)) return
    const part: Part = { chunks: [], isWhole: false }
    parts.set(file.name, part)
    file.ondata = (error, chunk, isLast) => {
      if (fault !== null) return
      if (error) fault = brokenWorkbook()
      bytes += chunk?.length ?? 0
      if (bytes > INFLATED_BYTES_MAX) fault = tooLarge()
      else part.chunks.push(chunk)
      part.isWhole = isLast
    }
    file.start()
  })
  unzip.register(UnzipInflate)
  for (let at = 0; at < archive.length && fault === null; at += STEP_BYTES)
    unzip.push(archive.subarray(at, at + STEP_BYTES), at + STEP_BYTES >= archive.length)
  if (fault !== null) throw fault
  if ([...parts.values()].some(({ isWhole }) => !isWhole)) throw brokenWorkbook()
  return new Map([...parts].map(([name, { chunks }]) => [name, Buffer.concat(chunks)]))
}

type Part = { readonly chunks: Uint8Array[]; isWhole: boolean }

/** What a parser of a part does: names are without their prefix. */
type PartReader = {
  readonly open?: (name: string, attributes: Readonly<Record<string, string>>) => void
  readonly text?: (text: string) => void
  readonly close?: (name: string) => void
}

/** Parses the XML of a part. Entities other than the five of XML are refused, so nothing expands. @throws Fault with the rule `kind` */
export function readPart(xml: Buffer | undefined, reader: PartReader): void {
  if (xml === undefined) return
  const parser = sax.parser(true, { position: false })
  parser.onerror = () => {
    throw brokenWorkbook()
  }
  parser.ondoctype = () => {
    throw brokenWorkbook()
  }
  // Without namespaces the attributes are strings.
  parser.onopentag = ({ name, attributes }) => reader.open?.(local(name), attributes as Record<string, string>)
  parser.ontext = (text) => reader.text?.(text)
  parser.oncdata = (text) => reader.text?.(text)
  parser.onclosetag = (name) => reader.close?.(local(name))
  parser.write(xml.toString()).close()
}

function local(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

/** The fault for a file that looks like a workbook and is none. */
export function brokenWorkbook(): Fault {
  return tableFault('kind', 'The workbook is damaged.')
}

function tooLarge(): Fault {
  return tableFault('bytes', 'The workbook is too large when it is unpacked.', { limit: INFLATED_BYTES_MAX })
}
