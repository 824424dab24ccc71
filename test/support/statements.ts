import { spawnSync } from 'node:child_process'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { isForTests, root, sourcesIn } from './source.ts'

const BYTES_MAX = 16_777_216

/**
 * Returns the text of every named statement that the product declares at the top level of its modules, by name. Another
 * process imports them all, with a module of statements that keeps a list: in this one they may be loaded.
 */
export function declaredStatements(): ReadonlyMap<string, string> {
  const { status, stdout, stderr } = spawnSync(process.execPath, [import.meta.filename], {
    encoding: 'utf8',
    maxBuffer: BYTES_MAX,
  })
  if (status !== 0) throw new Error(stderr)
  const declared = new Map<string, string>(JSON.parse(stdout))
  // What compares none of them would find no fault.
  if (declared.size === 0) throw new Error('no statement was found')
  return declared
}

async function collectStatements(): Promise<ReadonlyMap<string, string>> {
  const declared = new Map<string, string>()
  Object.assign(globalThis, { declareStatement: (name: string, text: string) => declared.set(name, text) })
  const hooks = registerHooks({
    load(url, context, next) {
      const loaded = next(url, context)
      if (!url.endsWith('/src/store/store.ts')) return loaded
      const source = String(loaded.source).replace(
        'return { name, ...numbered(text) }',
        'declareStatement(name, numbered(text).text); $&',
      )
      return { ...loaded, source }
    },
  })
  const modules = sourcesIn('src').filter(
    ({ path, code }) =>
      !isForTests(path) && !path.includes('/browser/') && /^import /m.test(code) && !/^await /m.test(code),
  )
  for (const { path } of modules) if (!/^src\/(main|cli)\.ts$/.test(path)) await import(join(root, path))
  hooks.deregister()
  return declared
}

if (import.meta.main) process.stdout.write(JSON.stringify([...(await collectStatements())]))
