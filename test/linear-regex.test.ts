// A regular expression that backtracks over foreign text stops the whole process: each one of the product is given text
// that grows.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import ajvFormats from 'ajv-formats'
import { checkSync } from 'recheck'
import { isForTests, type Source, sourcesIn } from './support/source.ts'

const LENGTH = 4_000
const GROWTH = 4
/** Below this a run says nothing about its growth. */
const MEASURABLE_MS = 4
/** Linear work grows {@link GROWTH} times, quadratic work 16 times. */
const RATIO_MAX = 10

/** `source`: the text of the pattern. */
type Found = {
  readonly where: string
  readonly source: string
  readonly flags: string
  readonly test: (text: string) => unknown
}

function found(where: string, source: string, flags = ''): Found {
  const pattern = new RegExp(source, `${flags.replace(/[gy]/g, '')}g`)
  return { where, source, flags, test: (text) => text.replace(pattern, '') }
}

/** The regular expressions of a source, and the patterns of its schemas. */
function patternsOf({ path, uncommented, patterns }: Source): Found[] {
  const literals = patterns.map((literal) => {
    const end = literal.lastIndexOf('/')
    return found(`${path} ${literal}`, literal.slice(1, end), literal.slice(end + 1))
  })
  const schemas = [...uncommented.matchAll(/\bpattern: '((?:[^'\\]|\\.)+)'/g)].map(([, text = '']) =>
    found(`${path} '${text}'`, text.replaceAll('\\\\', '\\'), 'u'),
  )
  return [...literals, ...schemas]
}

/**
 * Texts that lead to each place of a pattern: its literal characters, one more each time, character classes left out.
 */
function leadsTo(source: string): string[] {
  const literals = source
    .replace(/\[(?:[^\]\\]|\\.)*\]|\(\?[:=!]|\{[\d,]+\}|\\[dswDSWbB]|\\[pP]\{\w+\}/g, '')
    .replace(/\\(.)/g, '$1')
    .replace(/[\^$*+?()|]/g, '')
  return [...new Set([...literals].map((_, at) => literals.slice(0, at + 1))), ''].slice(0, 40)
}

const repeated = [
  ' ',
  '\t',
  '\n',
  'a',
  'A',
  '0',
  '.',
  '-',
  '/',
  ':',
  '=',
  '"',
  '[',
  '+',
  '_',
  '%3a',
  'a.',
  'a-',
  '0.',
  'A\n',
]
const ends = ['!', ' x y', '\n!', '\u0000']

function run({ test: tried }: Found, text: string): number {
  let best = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const start = performance.now()
    tried(text)
    best = Math.min(best, performance.now() - start)
    if (best < MEASURABLE_MS) break
  }
  return best
}

/** The text at which a pattern needs more than linear time; null if there is none among those that are tried. */
function slowText(one: Found): string | null {
  for (const lead of leadsTo(one.source)) {
    for (const unit of repeated) {
      for (const end of ends) {
        const text = (times: number) => lead + unit.repeat((times * LENGTH) / unit.length) + end
        const short = run(one, text(1))
        if (short < MEASURABLE_MS) continue
        if (run(one, text(GROWTH)) / short > RATIO_MAX) return JSON.stringify([lead, unit, end])
      }
    }
  }
  return null
}

test('the search for slow patterns finds those that are quadratic', () => {
  for (const { source } of [
    /^wait\s*=\s*"?([^";\s]*)"?\s*(?:;|$)/,
    /^-----BEGIN A-----\s+([A-Z\s]+)-----END$/,
    /a+$/,
  ]) {
    assert.notEqual(slowText(found('here', source)), null, source)
  }
})

const formats = ['uri', 'date', 'time', 'uri-reference', 'hostname'] as const
const ofFormats = formats.flatMap((name): Found[] => {
  const format = ajvFormats.default.get(name)
  if (format instanceof RegExp) return [found(name, format.source, format.flags)]
  return typeof format === 'function' ? [{ where: name, source: 'a:/', flags: '', test: format }] : []
})
const all = [
  ...['src', 'packages']
    .flatMap(sourcesIn)
    .filter(({ path }) => !isForTests(path))
    .flatMap(patternsOf),
  ...ofFormats,
]

test('every regular expression of the product, of its schemas and of their formats takes linear time', () => {
  assert(all.length > 100, 'the source was read')
  const slow = all.flatMap((one) => {
    const text = slowText(one)
    return text === null ? [] : [`${one.where} at ${text}`]
  })
  assert.deepEqual(slow, [])
})

/** How long the analysis of one expression may take: what it cannot decide is too hard for a reader too. */
const ANALYSIS_MS_MAX = 20_000
const TRIES_MAX = 4

test('no regular expression of the product can backtrack more than linearly, by analysis', (context) => {
  const { RECHECK_SYNC_BACKEND: before } = process.env
  // In this process: the other back ends start one.
  process.env.RECHECK_SYNC_BACKEND = 'pure'
  context.after(() => {
    if (before === undefined) delete process.env.RECHECK_SYNC_BACKEND
    else process.env.RECHECK_SYNC_BACKEND = before
  })
  const sources = new Map(all.filter(({ source }) => source !== 'a:/').map((one) => [one.source, one]))
  const doubtful = [...sources.values()].flatMap(({ where, source, flags }) => {
    let found = checkSync(source, flags, { timeout: ANALYSIS_MS_MAX })
    // Where it has to try texts it judges by their time, to which whatever else the machine does adds.
    for (let tries = 1; tries < TRIES_MAX && found.status !== 'safe'; tries += 1)
      found = checkSync(source, flags, { timeout: ANALYSIS_MS_MAX })
    if (found.status === 'safe') return []
    return [`${where}: ${'complexity' in found ? found.complexity.summary : found.status}`]
  })
  assert.deepEqual(doubtful, [])
})
