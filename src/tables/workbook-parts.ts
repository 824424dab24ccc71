import { Unzip, UnzipInflate } from 'fflate'
import sax from 'sax'
import { Fault } from '../fault.ts'
import { tableFault } from './table-fault.ts'

/** Inflated bytes of all parts that are read. */
const INFLATED_BYTES_MAX = 48 * 1024 * 1024
/** Inflated bytes of parts of which only the beginning is read. */
const SKIPPED_BYTES_MAX = 4 * INFLATED_BYTES_MAX
/** Compressed bytes a step: DEFLATE grows them 1,032 times at most, so that a step ends soon after the limit. */
const STEP_BYTES = 4096
const ENTRIES_MAX = 5000
/** Elements inside of each other; a sheet has seven. */
const DEPTH_MAX = 64
/** Attributes of an element; a cell has five. */
const ATTRIBUTES_MAX = 256
/** Bytes that are parsed at a time. */
const CHUNK_BYTES = 65_536

/** Parts of an archive by their names as {@link partName} writes them, and the names of all parts. */
type Parts = { readonly found: ReadonlyMap<string, Buffer>; readonly names: readonly string[] }

/**
 * Returns a name of a part as it is compared: some programs write backslashes, another case, or a slash before it.
 * [ECMA-376 part 2, 7.2.3.5]
 */
export function partName(name: string): string {
  return name.replaceAll('\\', '/').replace(/^\/+/, '').toLowerCase()
}

/**
 * Inflates parts of a workbook, which is a ZIP archive, step by step; what is not wanted is not inflated.
 *
 * @param headBytesMax Only the beginning of each part is kept, as far as it can be read soon.
 * @throws Fault `request.invalid` with the rule `kind` for a broken archive, `bytes` above 48 MiB
 */
export function workbookParts(
  archive: Uint8Array,
  isWanted: (name: string) => boolean,
  headBytesMax = Number.POSITIVE_INFINITY,
): Parts {
  const parts = new Map<string, Part>()
  const names: string[] = []
  // Not thrown where they are found: the library catches what its callbacks throw.
  let fault: Fault | null = null
  let [bytes, skipped] = [0, 0]
  const unzip = new Unzip((file) => {
    const name = partName(file.name)
    names.push(name)
    if (names.length > ENTRIES_MAX) fault = tooLarge()
    if (!isWanted(name) || parts.has(name)) return
    const part: Part = { chunks: [], bytes: 0, isWhole: false }
    parts.set(name, part)
    file.ondata = (error, chunk, isLast) => {
      if (part.isWhole) skipped += chunk?.length ?? 0
      if (fault !== null || part.isWhole) return
      if (error) fault = brokenWorkbook()
      bytes += chunk?.length ?? 0
      part.bytes += chunk?.length ?? 0
      if (bytes > INFLATED_BYTES_MAX) fault = tooLarge()
      else part.chunks.push(chunk)
      part.isWhole = isLast || part.bytes >= headBytesMax
    }
    file.start()
  })
  unzip.register(UnzipInflate)
  for (let at = 0; at < archive.length && fault === null && skipped < SKIPPED_BYTES_MAX; at += STEP_BYTES)
    unzip.push(archive.subarray(at, at + STEP_BYTES), at + STEP_BYTES >= archive.length)
  if (fault !== null) throw fault
  const isCut = ({ isWhole }: Part) => !isWhole && headBytesMax === Number.POSITIVE_INFINITY
  if ([...parts.values()].some(isCut)) throw brokenWorkbook()
  return { found: new Map([...parts].map(([name, { chunks }]) => [name, Buffer.concat(chunks)])), names }
}

type Part = { readonly chunks: Uint8Array[]; bytes: number; isWhole: boolean }

/** What a parser of a part does: names are without their prefix. `open` returns true when nothing more is wanted. */
type PartReader = {
  readonly open?: (name: string, attributes: Readonly<Record<string, string>>) => boolean | undefined
  readonly text?: (text: string) => void
  readonly close?: (name: string) => void
}

/** Ends parsing early. */
class Enough extends Error {}

/**
 * Parses the XML of a part. Entities other than the five of XML are refused, so nothing expands.
 *
 * @param isCut The part may end anywhere.
 * @throws Fault with the rule `kind`, `effort` for elements inside of each other without end
 */
export function readPart(xml: Buffer | undefined, reader: PartReader, isCut = false): void {
  if (xml === undefined) return
  const parser = sax.parser(true, { position: false })
  let [depth, attributesSeen] = [0, 0]
  parser.onerror = (error) => {
    throw error
  }
  parser.ondoctype = () => {
    throw brokenWorkbook()
  }
  parser.onattribute = () => {
    attributesSeen += 1
    if (attributesSeen > ATTRIBUTES_MAX)
      throw tableFault('effort', 'An element of the workbook has too many attributes.', { limit: ATTRIBUTES_MAX })
  }
  // Without namespaces the attributes are strings.
  parser.onopentag = ({ name, attributes }) => {
    attributesSeen = 0
    depth += 1
    if (depth > DEPTH_MAX)
      throw tableFault('effort', 'The elements of the workbook are nested too deeply.', { limit: DEPTH_MAX })
    if (reader.open?.(local(name), attributes as Record<string, string>) === true) throw new Enough()
  }
  parser.ontext = (text) => reader.text?.(text)
  parser.oncdata = (text) => reader.text?.(text)
  parser.onclosetag = (name) => {
    depth -= 1
    reader.close?.(local(name))
  }
  try {
    const decoder = new TextDecoder(xmlEncoding(xml))
    for (let at = 0; at < xml.length; at += CHUNK_BYTES)
      parser.write(decoder.decode(xml.subarray(at, at + CHUNK_BYTES), { stream: true }))
    if (!isCut) parser.close()
  } catch (error) {
    if (error instanceof Enough) return
    throw error instanceof Fault ? error : brokenWorkbook()
  }
}

/** XML without a mark and an encoding of its own is UTF-8; in UTF-16 every second byte of its first tag is zero. */
function xmlEncoding([first, second]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (first === 0xff || second === 0) return 'utf-16le'
  return first === 0xfe || first === 0 ? 'utf-16be' : 'utf-8'
}

function local(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

/** Returns the fault for a file that looks like a workbook and is none. */
export function brokenWorkbook(): Fault {
  return tableFault('kind', 'The workbook is damaged.')
}

function tooLarge(): Fault {
  return tableFault('bytes', 'The workbook is too large when it is unpacked.', { limit: INFLATED_BYTES_MAX })
}
