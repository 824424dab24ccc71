import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import { sha256Base64url } from '../crypto/digest.ts'

/** A custom element that a page may load. Without it the page works, with less comfort. */
export type BrowserModule = (typeof modules)[number]

/** A file for browsers. Its address names its content, so it never changes. */
type Asset = {
  readonly path: string
  readonly type: string
  readonly text: Buffer
  /** Compressed when a browser first takes it so. */
  readonly brotli: () => Promise<Buffer>
}

const modules = [
  'confirm-button',
  'copy-text',
  'embed',
  'embed-frame',
  'fragments',
  'install-app',
  'push-messages',
  'request-credential',
  'scan-code',
  'sign-passkey',
] as const
/** The style of each surface, in the order of the layers. */
const surfaces = {
  pages: ['tokens', 'elements', 'layout', 'parts'],
  console: ['tokens', 'elements', 'layout', 'parts', 'console', 'console-parts', 'console-tables'],
  holder: ['tokens', 'elements', 'layout', 'parts', 'console-parts', 'holder'],
  visitor: ['tokens', 'elements', 'layout', 'parts', 'visitor'],
} as const

/** A part of the pages with a style of its own. */
export type Surface = keyof typeof surfaces

/**
 * Name of a file for browsers without its digest. `jsqr.js` reads QR codes where the browser cannot; it is loaded only
 * when a person scans.
 */
type AssetName = `${Surface}.css` | `${BrowserModule}.js` | 'jsqr.js'

const compress = promisify(brotliCompress)
/** In a checkout the sources are TypeScript, in the package they are compiled. */
const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
const sources = Object.fromEntries([
  ...Object.entries(surfaces).map(([name, sheets]) => [`${name}.css`, () => styleOf(sheets)]),
  ...modules.map((name) => [`${name}.js`, () => scriptOf(name)]),
  ['jsqr.js', () => readFileSync(new URL(import.meta.resolve('jsqr')), 'utf8')],
  // The keys are those of `surfaces` and `modules`.
]) as Readonly<Record<AssetName, () => string>>
const made = new Map<AssetName, Asset>()

/**
 * Returns a file for browsers. Each is read, stripped of types and compressed once a process, when it is first needed.
 */
export function asset(name: AssetName): Asset {
  const known = made.get(name)
  if (known !== undefined) return known
  const one = assetOf(name, Buffer.from(sources[name]()))
  made.set(name, one)
  return one
}

/** Returns the file at `/assets/{file}`; null if its content is another one by now, or there is none of that name. */
export function assetAt(file: string): Asset | null {
  const name = file.replace(/-[\w-]{16}(?=\.(css|js)$)/, '')
  if (!isAssetName(name)) return null
  const found = asset(name)
  return found.path === `/assets/${file}` ? found : null
}

/**
 * Returns the body of an answer with a file, and the headers of its coding, for the header `Accept-Encoding` of a
 * request.
 */
export async function coded(
  { text, brotli }: Asset,
  acceptEncoding: string | readonly string[] = '',
): Promise<{ readonly body: Buffer; readonly headers: Readonly<Record<string, string>> }> {
  const vary = { vary: 'accept-encoding' }
  const takesBrotli = /\bbr\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(String(acceptEncoding))
  if (!takesBrotli) return { body: text, headers: vary }
  return { body: await brotli(), headers: { ...vary, 'content-encoding': 'br' } }
}

function isAssetName(name: string): name is AssetName {
  return Object.hasOwn(sources, name)
}

function styleOf(sheets: readonly string[]): string {
  return sheets.map((one) => read(`style/${one}.css`)).join('\n')
}

function scriptOf(name: string): string {
  const text = read(`browser/${name}.${ending}`)
  return ending === 'ts' ? stripTypeScriptTypes(text) : text
}

function assetOf(name: AssetName, text: Buffer): Asset {
  const [base, extension] = name.split('.')
  let compressed: Promise<Buffer> | null = null
  return {
    path: `/assets/${base}-${sha256Base64url(text).slice(0, 16)}.${extension}`,
    type: extension === 'css' ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8',
    text,
    brotli: () => {
      compressed ??= compress(text)
      return compressed
    },
  }
}

function read(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8')
}
