import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { DISABLED_FEATURES, openBrowser } from './browser.ts'

test('the features that Playwright disables stay disabled', () => {
  const folder = join(createRequire(import.meta.url).resolve('playwright-core'), '..')
  const [, list = ''] =
    /disabledFeatures = \[([^\]]+)\]/.exec(readFileSync(join(folder, 'lib/coreBundle.js'), 'utf8')) ?? []
  const theirs = [...list.matchAll(/^\s*"(\w+)"/gm)].map(([, name = '']) => name)
  assert(theirs.length > 10)
  // Those of Edge begin with its maker.
  const missing = theirs.filter((name) => !name.startsWith('ms') && !DISABLED_FEATURES.includes(name))
  assert.deepEqual(missing, [])
})

test('a window of the browser loads no page behind its address bar', async (t) => {
  const browser = await openBrowser()
  t.after(() => browser.close())
  await (await browser.newPage()).goto('data:text/html,<p>alone')
  const session = await browser.newBrowserCDPSession()
  const { targetInfos } = await session.send('Target.getTargets', { filter: [{}] })
  const loaded = targetInfos.map(({ url }) => url)
  assert(loaded.includes('data:text/html,<p>alone'))
  assert.deepEqual(
    loaded.filter((url) => url.includes('omnibox')),
    [],
  )
})
