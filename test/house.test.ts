import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { basename, join, posix } from 'node:path'
import { test } from 'node:test'
import { filesIn, isForTests, lineOf, root, type Source, sourcesIn } from './support/source.ts'
import { importsOf } from './support/source-shape.ts'

/** From the roof to the ground. A room may import itself and what stands behind it. */
const ladder = [
  'cli',
  'maintenance',
  'main',
  'assembly',
  'app',
  'contributions',
  'console',
  'holder',
  'visitor',
  'statistics',
  'wallet',
  'verification',
  'issuance',
  'authorization',
  'trust',
  'directory',
  'recovery',
  'events',
  'mail',
  'jobs',
  'pages',
  'api',
  'print',
  'tables',
  'http',
  'platform',
  'keys',
  'store',
  'memory',
  'contract',
  'protocols',
  'crypto',
  'caller',
  'config',
  'uuid',
  'fault',
  'json-pointer',
  'mail-address',
  'time-limit',
  'optional-package',
]
/** Packages (and modules of Node) that one place only may know. */
const confined = [
  [/^(fastify|@fastify\/.*|ajv.*|fast-json-stringify|undici|node:https?|node:net|node:tls|node:dns.*)$/, 'http'],
  [/^(pg|pg-.*|kysely|@electric-sql\/.*)$/, 'store'],
  [/^(jose|node:crypto)$/, 'crypto', 'keys'],
  [/^(prom-client|@opentelemetry\/.*)$/, 'http', 'store'],
] as const
/** Modules through which a pure function would reach the world. */
const worldly =
  /^(node:(fs.*|child_process|cluster|worker_threads|timers.*|readline.*|os|process)|undici|pino|prom-client)$/
/** What an answer holds has no type before a test has looked at it; lint wants the reason beside it. */
const untypedAnswers = 'test/support/server.ts:'
/**
 * The reader of JSON, and what reads texts that stand in this repository: the package's own description and our
 * schemas.
 */
const engineParses = new Set([
  'src/crypto/json-reader.ts',
  'src/cli.ts',
  'src/http/validation/check.ts',
  'src/http/openapi/components.ts',
  // Runs in browsers, and reads what our own page holds.
  'src/pages/browser/embed-frame.ts',
  'src/pages/browser/sign-passkey.ts',
])
/** The policy, the setting and its default, and the screen of the settings. */
const namesProfile =
  /^src\/(directory\/tenants\/(tenant-policy|organisation)|contract\/directory\/settings|console\/settings\/.*)\.ts$/
const bannedWords =
  /^(utils?|helpers?|common|shared|misc|base|manager|services?|handlers?|processor|impl|dto|data|info)$/

const src = sourcesIn('src')
const product = src.filter(({ path }) => !isForTests(path))
const packages = sourcesIn('packages')
const outside = [...['test', 'bench', 'scripts', 'demo'].flatMap(sourcesIn), ...packages]
const all = [...src, ...outside]

/** `src/store/sql.ts` is of the room store, `src/config.ts` of the room config. */
function roomOf(path: string): string {
  return (path.split('/')[1] ?? '').replace(/\.ts$/, '')
}

/** Files of the repository that a file imports, as paths from the root. */
function neighboursOf(source: Source): string[] {
  return importsOf(source)
    .filter(({ target }) => target.startsWith('.'))
    .map(({ target }) => posix.join(posix.dirname(source.path), target))
}

/**
 * Packages and modules of Node that a file runs. The types of Node's own modules say nothing about what is done with
 * them.
 */
function packagesOf(source: Source): string[] {
  return importsOf(source)
    .filter(({ statement, target }) => !(statement.startsWith('import type') && target.startsWith('node:')))
    .map(({ target }) => target)
    .filter((target) => !target.startsWith('.'))
}

/** The sources, and all of the product that they import, directly or not. */
function reachedFrom(sources: readonly Source[]): Source[] {
  const reached = new Set<string>()
  const visit = (source: Source) => {
    if (reached.has(source.path)) return
    reached.add(source.path)
    for (const path of neighboursOf(source)) for (const next of product) if (next.path === path) visit(next)
  }
  sources.forEach(visit)
  return product.filter(({ path }) => reached.has(path))
}

/** Every place in code (not in comments or strings) that matches. */
function places(sources: readonly Source[], pattern: RegExp): string[] {
  return sources.flatMap(({ path, code }) =>
    [...code.matchAll(pattern)].map((found) => `${path}:${lineOf(code, found.index)} ${found[0].trim()}`),
  )
}

/** A law of the house: nothing may break it. Each finding names the file. */
function law(name: string, findings: () => readonly string[]): void {
  test(name, () => assert.deepEqual(findings(), []))
}

test('the laws read the sources', () => {
  for (const read of [product, src.filter(({ path }) => isForTests(path)), outside]) assert(read.length > 50)
})

law('every file of src stands in a room of the ladder', () =>
  src.map(({ path }) => path).filter((path) => !ladder.includes(roomOf(path).replace(/\.test$/, ''))),
)

law('a room imports itself and what stands below it', () =>
  product.flatMap((source) => {
    const from = roomOf(source.path)
    return neighboursOf(source)
      .filter((target) => !target.startsWith('src/') || ladder.indexOf(roomOf(target)) < ladder.indexOf(from))
      .map((target) => `${source.path} -> ${target} runs back up`)
  }),
)

law('the console and the pages of holders and visitors know no room of features: they speak the public API', () =>
  product
    .filter(({ path }) => ['console', 'holder', 'visitor'].includes(roomOf(path)))
    .flatMap((source) =>
      neighboursOf(source)
        .filter(
          (target) => ladder.indexOf(roomOf(target)) < ladder.indexOf('jobs') && roomOf(target) !== roomOf(source.path),
        )
        .map((target) => `${source.path} -> ${target}`),
    ),
)

law('pages call operations of the contract: they write no path of the API', () =>
  product
    .filter(({ path }) => ['console', 'holder', 'visitor', 'pages'].includes(roomOf(path)))
    .flatMap(({ path, uncommented }) =>
      [...uncommented.matchAll(/['"`]\/(?:creds|wallet|onboarding)\//g)].map(
        ({ index }) => `${path}:${lineOf(uncommented, index)}`,
      ),
    ),
)

law('no file imports in a circle', () => {
  const next = new Map(src.map((source) => [source.path, neighboursOf(source)]))
  const done = new Set<string>()
  const circles: string[] = []
  const visit = (path: string, way: readonly string[]) => {
    if (way.includes(path)) circles.push([...way.slice(way.indexOf(path)), path].join(' -> '))
    else if (!done.has(path)) for (const one of next.get(path) ?? []) visit(one, [...way, path])
    done.add(path)
  }
  for (const path of next.keys()) visit(path, [])
  return circles
})

law('the web framework, the SQL driver and key material each have one room', () =>
  product.flatMap((source) =>
    packagesOf(source).flatMap((name) =>
      confined
        .filter(([pattern, ...rooms]) => pattern.test(name) && !rooms.some((room) => room === roomOf(source.path)))
        .map(([, ...rooms]) => `${source.path} imports ${name}, which is for ${rooms.join(' and ')} only`),
    ),
  ),
)

law('the environment is read in main.ts and cli.ts only', () =>
  places(
    product.filter(({ path }) => !['main', 'cli'].includes(roomOf(path))),
    /\bprocess\s*\.\s*env\b/g,
  ),
)

law('protocols and crypto reach no store, no clock and no I/O, through whatever they import', () => {
  const pure = reachedFrom(product.filter(({ path }) => ['protocols', 'crypto'].includes(roomOf(path))))
  const rooms = pure
    .filter(({ path }) => !['protocols', 'crypto', 'fault', 'json-pointer'].includes(roomOf(path)))
    .map(({ path }) => `${path} is reached from protocols`)
  const imports = pure.flatMap((source) =>
    packagesOf(source)
      .filter((name) => worldly.test(name))
      .map((name) => `${source.path} imports ${name}`),
  )
  return [
    ...rooms,
    ...imports,
    ...places(pure, /\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\b|\bsetTimeout\b|\bfetch\(/g),
  ]
})

law('one reader parses JSON: the engine mistakes escaped member names (nodejs/node#63785)', () =>
  places(product, /\bJSON\s*(\?\.|\.|\[)\s*'?parse\b|\{[^{}]*\bparse\b[^{}]*\}\s*=\s*JSON\b/g).filter(
    (place) => !engineParses.has(place.replace(/:.*/s, '')),
  ),
)

law('the product runs on what package.json calls dependencies', () => {
  const file = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, object>
  const { dependencies = {}, optionalDependencies = {} } = file
  const isIn = (list: object, name: string) => Object.hasOwn(list, name.match(/^(@[^/]+\/)?[^/]+/)?.[0] ?? name)
  return product.flatMap((source) => {
    // What npm may leave out is loaded where it is needed, so that the rest runs without it.
    const late = importsOf(source).filter(({ statement }) => statement.startsWith('import('))
    const mayLack = late.map(({ target }) => target).filter((name) => isIn(optionalDependencies, name))
    return packagesOf(source)
      .filter((name) => !name.startsWith('node:') && !isIn(dependencies, name) && !mayLack.includes(name))
      .map((name) => `${source.path} imports ${name}`)
  })
})

law('an optional package knows of the server only types, and runs on its own dependencies', () =>
  packages
    .filter(({ path }) => !isForTests(path))
    .flatMap((source) => {
      const folder = source.path.split('/').slice(0, 2).join('/')
      const { dependencies } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
      const foreign = importsOf(source).filter(({ statement, target }) => {
        if (!target.startsWith('.')) return !target.startsWith('node:') && !Object.hasOwn(dependencies, target)
        const path = posix.join(posix.dirname(source.path), target)
        return !path.startsWith(`${folder}/`) && !(statement.startsWith('import type ') && path.startsWith('src/'))
      })
      return foreign.map(({ target }) => `${source.path} imports ${target}`)
    }),
)

law('the server imports an optional package by its name, where the settings ask for it', () =>
  product.flatMap((source) =>
    neighboursOf(source)
      .filter((target) => target.startsWith('packages/'))
      .map((target) => `${source.path} -> ${target}`),
  ),
)

law('only contributions.ts and app.ts open the routes, public endpoints and jobs of a room', () =>
  product.flatMap((source) =>
    neighboursOf(source)
      .filter((target) => /(^|[-/])(routes|public-endpoints|jobs)\.ts$/.test(target))
      .filter(
        (target) => !['app', 'contributions'].includes(roomOf(source.path)) && roomOf(source.path) !== roomOf(target),
      )
      .map((target) => `${source.path} -> ${target}`),
  ),
)

law('a store file is private to its room', () =>
  product.flatMap((source) =>
    neighboursOf(source)
      .filter((target) => target.endsWith('-store.ts') && roomOf(target) !== 'store')
      .filter((target) => roomOf(source.path) !== roomOf(target))
      .map((target) => `${source.path} -> ${target}`),
  ),
)

law('nothing is exported as default, and no file passes on the exports of another', () => [
  ...places(all, /\bexport\s+default\b/g),
  ...all.flatMap((source) =>
    importsOf(source)
      .filter(({ reExports }) => reExports)
      .map(({ statement }) => `${source.path}: ${statement}`),
  ),
])

law('relative imports name their file, .ts and all', () =>
  all.flatMap((source) =>
    neighboursOf(source)
      .filter((target) => !/\.(ts|json|js)$/.test(target))
      .map((target) => `${source.path} -> ${target}`),
  ),
)

law('no any, no non-null assertion, no check switched off', () => [
  ...places(all, /(?<![.\w$'-])any\b(?!\s*[:(=-])/g).filter((place) => !place.startsWith(untypedAnswers)),
  ...places(all, /[\w$)\]]!(?!=)/g),
  ...all
    .filter(({ path }) => path !== 'test/house.test.ts')
    .flatMap(({ path, text }) => [...text.matchAll(/@ts-(ignore|nocheck)/g)].map((found) => `${path}: ${found[0]}`)),
])

law('a value changes its type through unknown only in the product, with the reason on the line above', () =>
  [...src, ...sourcesIn('test')].flatMap(({ path, text, code }) =>
    [...code.matchAll(/\bas\s+unknown\s+as\b/g)]
      .map((found) => lineOf(code, found.index))
      .filter(
        (line) => isForTests(path) || path.startsWith('test/') || !/^\s*\/\//.test(text.split('\n')[line - 2] ?? ''),
      )
      .map((line) => `${path}:${line}`),
  ),
)

law('what is random in tests follows from the seed of the run', () => [
  ...places(
    all.filter(({ path }) => isForTests(path)),
    /\bMath\s*\.\s*random\b/g,
  ),
  ...all
    .filter((source) => source.path !== 'test/support/fast-check.ts' && packagesOf(source).includes('fast-check'))
    .map(({ path }) => `${path} imports fast-check, not test/support/fast-check.ts`),
])

law('a JSON pointer is written and read in json-pointer.ts', () =>
  all
    .filter(({ path }) => !['src/json-pointer.ts', 'test/house.test.ts'].includes(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/\.replaceAll\('~|\bpointer\??\.split\(|pointer\}\/\$\{key\}/g)].map(
        (found) => `${path}:${lineOf(text, found.index)} ${found[0]}`,
      ),
    ),
)

law('a pattern of addresses stands in mail-address.ts; that of a support address may be a URL too', () =>
  product
    .filter(({ path }) => !['src/mail-address.ts', 'src/contract/directory/settings.ts'].includes(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/\[\^[^\]\n]*@[^\]\n]*\]\S*@/g)].map(
        (found) => `${path}:${lineOf(text, found.index)} ${found[0]}`,
      ),
    ),
)

law('no test is left out', () => places(all, /\b(test|it|describe|suite)\.(skip|only|todo)\b/g))

law('importing a module does nothing: its top level only declares', () =>
  places(
    // A module for browsers registers its element, that of a worker does its work; no module of the server imports
    // them.
    product.filter(
      ({ path }) =>
        !['src/main.ts', 'src/tables/table-worker.ts', 'packages/print/src/print-worker.ts'].includes(path) &&
        !path.startsWith('src/pages/browser/'),
    ),
    /^(?!import\b|export\b|const\b|let\b|type\b|interface\b|function\b|async function\b|class\b|declare\b|[\s})\]|&?:=<>`]|\$\{)\S.*$/gm,
  ),
)

law('the profile is named where it is chosen and in the policy of a tenant; others ask what is required', () => {
  const others = product.filter(({ path }) => !namesProfile.test(path))
  return [...others.map(({ path }) => path).filter((path) => path.includes('haip')), ...places(others, /\w*haip\w*/gi)]
})

law('file names are kebab-case and say what is inside', () =>
  ['src', 'test', 'bench', 'scripts', 'demo', 'bin', 'packages']
    .flatMap((folder) => filesIn(folder))
    .filter((path) => !path.startsWith('test/vectors/data/'))
    .filter((path) => {
      const words = basename(path)
        .replace(/\.[a-z.]+$/, '')
        .split('-')
      const isMigration = path.startsWith('src/store/migrations/') || basename(path) === 'README.md'
      return (
        !isMigration &&
        (!words.every((word) => /^[a-z0-9]+$/.test(word)) || words.some((word) => bannedWords.test(word)))
      )
    }),
)

law('every export has a docstring', () =>
  all
    .filter(({ path }) => !isForTests(path))
    .flatMap(({ path, text, code }) =>
      [...code.matchAll(/^export (?!type \{|\{)(?:declare |async |abstract )*\w+\*? ([\w$]+)/gm)]
        .filter((found) => !/\*\/\s*(\/\/[^\n]*\s*)*$/.test(text.slice(0, found.index)))
        // Overloads and a type that shares the name of its schema are one thing with what stands before them.
        .filter((found) => code.search(new RegExp(`^export [^\n]*\\b${found[1]}\\b`, 'm')) === found.index)
        .map((found) => `${path}:${lineOf(code, found.index)} ${found[1]}`),
    ),
)

law('each fault has one row', () => {
  const codes = product
    .filter(({ path }) => roomOf(path) === 'fault')
    .flatMap(({ uncommented }) => [...uncommented.matchAll(/^ {2}'([\w.]+)': \{/gm)].map((found) => found[1] ?? ''))
  return codes.filter((code, index) => codes.indexOf(code) !== index)
})

/** A spread of an object that is written in place, or of an array of which nothing is called. */
const packed = /\.\.\.\(?(?:\{|\[[^[\]]*\](?: as const)?\)?(?=\s*[,\]}]))/g

law('a literal is written as it is, not as spreads of smaller ones', () => places(all, packed))

/** Of a line, in characters: that of the formatter, which leaves comments as they are. */
const WIDTH = 120

/** Lines that are wider than code, of those that match. */
function wideLines(sources: readonly Source[], pattern: RegExp): string[] {
  return sources.flatMap(({ path, text }) =>
    text
      .split('\n')
      .map((line, index) => ({ line, place: `${path}:${index + 1}` }))
      .filter(({ line }) => line.length > WIDTH && pattern.test(line))
      .map(({ place }) => place),
  )
}

law('a comment is no wider than code, but for an address, which cannot be broken', () =>
  wideLines(all, /^\s*(\*|\/\/|\/\*)(?!.*https?:\/\/\S{30,})/),
)

law('HTML is no wider than code', () =>
  wideLines(
    product.filter(({ text }) => text.includes('html`')),
    /<\/?[a-z]/,
  ),
)

test('light and dark differ in colours only, so that the walks need not measure every page in both', () => {
  const styles = filesIn('src', '.css').map((path) => [path, readFileSync(join(root, path), 'utf8')] as const)
  assert(styles.length > 5)
  for (const [path, style] of styles) {
    assert.doesNotMatch(style, /prefers-color-scheme/, path)
    const colours = [...style.matchAll(/light-dark\(#[0-9a-f]{6}, #[0-9a-f]{6}\)/g)].length
    assert.equal(style.split('light-dark(').length - 1, colours, path)
  }
})
