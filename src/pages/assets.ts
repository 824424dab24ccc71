import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { brotliCompressSync } from 'node:zlib'
import { sha256Base64url } from '../crypto/digest.ts'

/** A custom element that a page may load. Without it the page works, with less comfort. */
export type BrowserModule = (typeof modules)[number]

/** A file for browsers. Its address names its content, so it never changes. */
type Asset = { readonly path: string; readonly type: string; readonly text: Buffer; readonly brotli: Buffer }

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

/** The style sheets, the browser modules, and all of them by file name. */
type Assets = {
  readonly style: Readonly<Record<Surface, string>>
  readonly script: Readonly<Record<BrowserModule, string>>
  /** Reads QR codes where the browser cannot. Loaded only when a person scans. */
  readonly decoder: string
  readonly byName: ReadonlyMap<string, Asset>
}

/** In a checkout the sources are TypeScript, in the package they are compiled. */
const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
let made: Assets | null = null

/** Returns the files for browsers. They are read, stripped of types and compressed once a process. */
export function assets(): Assets {
  made ??= makeAssets()
  return made
}

function makeAssets(): Assets {
  const styles = Object.entries(surfaces).map(
    ([name, sheets]) => [name, asset(name, 'css', sheets.map((one) => read(`style/${one}.css`)).join('\n'))] as const,
  )
  const scripts = modules.map((name) => asset(name, 'js', scriptOf(name)))
  const decoder = asset('jsqr', 'js', readFileSync(new URL(import.meta.resolve('jsqr')), 'utf8'))
  const byName = new Map(
    [...styles.map(([, one]) => one), ...scripts, decoder].map((one) => [one.path.slice('/assets/'.length), one]),
  )
  const script = Object.fromEntries(modules.map((name, index) => [name, scripts[index]?.path ?? '']))
  // The keys are those of `modules`, and below those of `surfaces`.
  const style = Object.fromEntries(styles.map(([name, one]) => [name, one.path])) as Record<Surface, string>
  return { style, script: script as Record<BrowserModule, string>, decoder: decoder.path, byName }
}

function scriptOf(name: string): string {
  const text = read(`browser/${name}.${ending}`)
  return ending === 'ts' ? stripTypeScriptTypes(text) : text
}

function asset(name: string, extension: 'css' | 'js', source: string): Asset {
  const text = Buffer.from(source)
  return {
    path: `/assets/${name}-${sha256Base64url(text).slice(0, 16)}.${extension}`,
    type: extension === 'css' ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8',
    text,
    brotli: brotliCompressSync(text),
  }
}

function read(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8')
}
