// Codes by camera and picture: of an offer, of something else, of nothing; without a camera, and without leave to use
// it.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { encode, renderSVG } from 'uqr'
import { layoutDefects, openBrowser, type Visit, visit } from '../../test/support/browser.ts'
import { offerTexts } from './offers/texts.ts'
import { HolderWorld, phone } from './test-support/holder-world.ts'

const texts = offerTexts.en
const [width, height] = [640, 480]
const folder = mkdtempSync(join(tmpdir(), 'camera-'))
/** What the camera sees, read again whenever it is switched on. */
const film = join(folder, 'code.y4m')
const opened: Visit[] = []
let world: HolderWorld
let camera: Browser
before(async () => {
  world = await HolderWorld.open()
  point('nothing yet')
  camera = await openBrowser('everything', [
    '--use-fake-device-for-media-stream',
    `--use-file-for-fake-video-capture=${film}`,
  ])
})
afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ close }) => close()))
  await world.closeOpened()
})
after(async () => {
  await camera.close()
  await world.close()
  rmSync(folder, { recursive: true })
})

/** Points the camera at the code of a text: a film of two frames without compression. */
function point(text: string): void {
  const { data, size } = encode(text, { border: 4 })
  const module = Math.floor(height / size)
  const light = Buffer.alloc(width * height, 235)
  for (let y = 0; y < size * module; y += 1)
    for (let x = 0; x < size * module; x += 1)
      if (data[Math.floor(y / module)]?.[Math.floor(x / module)] === true) light[y * width + x + 80] = 16
  const frame = Buffer.concat([Buffer.from('FRAME\n'), light, Buffer.alloc((width * height) / 2, 128)])
  const head = Buffer.from(`YUV4MPEG2 W${width} H${height} F10:1 Ip A1:1 C420jpeg\n`)
  writeFileSync(film, Buffer.concat([head, frame, frame]))
}

/** Opens the page of the scan. @param permissions What the person allows */
async function scanAt(browser: Browser, permissions: string[]): Promise<Visit> {
  const visited = await visit(browser, world.chirograph.url, { ...phone, storageState: world.thandi, permissions })
  opened.push(visited)
  visited.page.setDefaultTimeout(60_000)
  await visited.page.goto('/me/scan')
  return visited
}

const useCamera = (page: Page) => page.getByRole('button', { name: texts.camera }).click()

/** The other two ways are still there, and nothing covers them. */
async function hasOtherWays(page: Page): Promise<void> {
  await page.getByLabel(texts.picture).waitFor()
  await page.getByLabel(texts.paste).waitFor()
  assert.deepEqual(await layoutDefects(page), [])
}

test('the camera reads a code and opens the offer', async () => {
  point((await world.issue()).offerUri)
  const { page, troubles } = await scanAt(camera, ['camera'])
  await useCamera(page)
  await page.getByRole('button', { name: texts.take }).waitFor()
  assert.deepEqual(troubles, [])
})

test('a code of something else is shown, not opened, and leads back to the scan', async () => {
  const other = 'WIFI:S:College;T:WPA;P:secret;;'
  point(other)
  const { page, troubles } = await scanAt(camera, ['camera'])
  await useCamera(page)
  await page.getByRole('heading', { level: 1, name: 'This is not a link for your wallet' }).waitFor()
  await page.getByText(other).waitFor()
  await page.getByRole('link', { name: texts.scanTitle }).click()
  await page.waitForURL(/\/me\/scan$/)
  await hasOtherWays(page)
  assert.deepEqual(troubles, [])
})

test('where the camera is not allowed, and where there is none, the page says which and names the other two ways', async () => {
  for (const [browser, permissions, words] of [
    [camera, [], texts.refused],
    [world.browser, ['camera'], texts.absent],
  ] as const) {
    const { page, troubles } = await scanAt(browser, [...permissions])
    await useCamera(page)
    await page.getByRole('status').getByText(words).waitFor()
    await hasOtherWays(page)
    assert.deepEqual(troubles, [])
  }
})

test('a picture of a code opens the offer; one without a code, and a file that is no picture, are told', async () => {
  const { page, troubles } = await scanAt(world.browser, [])
  const drawing = await page.context().newPage()
  const pictureOf = async (body: string) => {
    await drawing.setContent(`<body style="background:#fff">${body}`)
    return drawing.screenshot()
  }
  const choose = (buffer: Buffer, mimeType = 'image/png') =>
    page.getByLabel(texts.picture).setInputFiles({ name: 'code', mimeType, buffer })
  const told = page.getByRole('status').getByText(texts.none)
  await choose(await pictureOf('<h1>No code</h1>'))
  await told.waitFor()
  await page.reload()
  await choose(Buffer.from('no picture'), 'text/plain')
  await told.waitFor()
  await hasOtherWays(page)
  await choose(await pictureOf(renderSVG((await world.issue()).offerUri)))
  await page.getByRole('button', { name: texts.take }).waitFor()
  assert.deepEqual(troubles, [])
})
