import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { DISABLED_FEATURES, focusDefects, openBrowser } from './browser.ts'

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

test('pressing Tab finds what is not reached, and what is covered while it has the focus', async (t) => {
  const browser = await openBrowser()
  t.after(() => browser.close())
  const page = await browser.newPage({ viewport: { width: 320, height: 640 } })
  const sound = `<a href="#x">way</a><input type="radio" name="r"><input type="radio" name="r"><details><summary>more</summary><button>folded</button></details>
    <div style="height:2000px"></div><textarea style="height:900px"></textarea>`
  await page.setContent(sound)
  assert.deepEqual(await focusDefects(page), [])
  await page.setContent(`${sound}<div inert><button id="cut-off">x</button></div>`)
  assert.match((await focusDefects(page, 20)).join(), /^not reached by Tab: <button id="cut-off">/)
  await page.setContent(
    `<button id="below">x</button><div style="position:fixed;inset:0 0 auto;height:200px;background:white"></div>`,
  )
  assert.match((await focusDefects(page)).join(), /^has the focus behind something else: <button id="below">/)
})
