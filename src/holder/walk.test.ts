import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { axeDefects, layoutDefects, markupDefects, openBrowser, type Visit, visit } from '../../test/support/browser.ts'
import { type Api, type Deployment, deploy } from '../../test/support/server.ts'
import { type SignedIn, signInAs } from '../console/test-support/console-walk.ts'
import { cookieOf } from '../console/test-support/refusals.ts'
import { foreignIssuer } from '../wallet/test-support/foreign-issuer.ts'
import { foreignVerifier } from '../wallet/test-support/foreign-verifier.ts'

/** Where the pictures go; none are made without it. */
const pictures = process.env.PICTURES
const phone = { viewport: { width: 390, height: 844 } } as const
const small = { viewport: { width: 320, height: 640 } } as const

let chirograph: Deployment
let browser: Browser
let acme: Api
let thandi: SignedIn
let newcomer: SignedIn
let diploma: { id: string; type: string }
let withCode: { id: string; type: string }
before(async () => {
  ;[chirograph, browser] = await Promise.all([deploy(), openBrowser()])
  acme = await chirograph.backend('acme')
  thandi = await signInAs(browser, chirograph, acme, 'thandi', [])
  newcomer = await signInAs(browser, chirograph, await chirograph.backend('globex'), 'pieter', [])
  const attributes = Object.fromEntries(
    (
      [
        ['family_name', 'Family name', 'string'],
        ['given_name', 'Given name', 'string'],
        ['birth_date', 'Date of birth', 'date'],
        ['student_number', 'Student number', 'string'],
        ['degree', 'Degree', 'string'],
        ['grade', 'Grade', 'number'],
      ] as const
    ).map(([code, name, type]) => [code, { type, name }]),
  )
  const display = { name: 'Diploma', locale: 'en', backgroundColor: '#1f2d4a', textColor: '#ffffff' }
  const make = async (code: string, more: object = {}) => {
    const made = await acme.post('/creds/templates/credentials', {
      ...{ name: 'Diploma', code, attributes, display },
      ...more,
    })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    return made.body.data
  }
  diploma = await make('diploma')
  withCode = await make('with-code', { txCode: { length: 6 } })
})
after(async () => {
  await browser.close()
  await chirograph.stop()
})

const claims = {
  ...{ family_name: 'Molefe', given_name: 'Thandi', birth_date: '2001-03-14', student_number: 'S-2041' },
  ...{ degree: 'BSc Computer Science', grade: 78 },
}

async function issue(credentialTemplateId = diploma.id) {
  const opened = await acme.post('/creds/credentials/issuance', { credentialTemplateId, attributes: claims })
  assert.equal(opened.status, 200, JSON.stringify(opened.body))
  return opened.body.data
}

async function open(as: SignedIn | null, options: BrowserContextOptions = {}): Promise<Visit> {
  const opened = await visit(browser, chirograph.url, {
    ...phone,
    ...(as !== null && { storageState: as }),
    ...options,
  })
  opened.page.setDefaultTimeout(8000)
  return opened
}

let degreeTemplate: string | null = null
/** Asks for two of six attributes. @returns the link of the request */
async function ask(): Promise<string> {
  if (degreeTemplate === null) {
    const made = await acme.post('/creds/templates/presentations', {
      ...{ name: 'Proof of a degree', description: '', retentionSeconds: 86_400 * 30 },
      credentials: [{ type: diploma.type, attributes: { degree: {}, grade: {} } }],
      verifierConfig: { purpose: 'To check the degree you gave in your application.' },
    })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    degreeTemplate = made.body.data.id
  }
  const asked = await acme.post('/creds/presentations/request', { presentationTemplateId: degreeTemplate })
  return asked.body.data.authorizationRequestUri
}

const opening = (link: string) => `/open?u=${encodeURIComponent(link)}`

async function take(page: Page, offerUri: string): Promise<string> {
  await page.goto(opening(offerUri))
  await page.getByRole('button', { name: 'Take this card' }).click()
  await page.waitForURL(/\/me\/cards\/[0-9a-f-]{36}\?new=1$/)
  return new URL(page.url()).pathname
}

for (const javaScriptEnabled of [false, true]) {
  test(`a phone takes an offer from its https link and shares two of six, scripts ${javaScriptEnabled ? 'on' : 'off'}`, async () => {
    const { page, troubles, close } = await open(thandi, { javaScriptEnabled })
    const { offerPageUri, id } = await issue()
    await page.goto(offerPageUri)
    await page.getByRole('heading', { name: 'Acme College has a card for you' }).waitFor()
    await page.getByRole('link', { name: 'Take it here' }).click()
    await page.getByText('Your organisation', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Take this card' }).click()
    await page.getByText('The card is yours now').waitFor()
    await page.getByText('BSc Computer Science').first().waitFor()
    assert.equal((await acme.get(`/creds/credentials/issuance/${id}`)).body.data.status, 'completed')
    const request = await ask()
    await page.goto(opening(request))
    await page.getByRole('heading', { name: 'Acme College asks for 2 things' }).waitFor()
    await page.getByText('To check the degree').waitFor()
    await page.getByText('30 days').waitFor()
    assert.equal(await page.getByText('not shared').count(), 4)
    assert.equal(await page.getByText('Molefe').count(), 0, 'what stays is shown by name only')
    await page.getByRole('button', { name: 'Share these 2 with Acme College' }).click()
    await page.getByRole('heading', { name: 'You shared it' }).waitFor()
    await page.getByText('Grade').first().waitFor()
    await page.goto('/me/history')
    await page.getByText('They saw: Degree, Grade').first().waitFor()
    const results = (await acme.get('/creds/presentations')).body.data
    assert.equal(results[0].status, 'verified')
    assert.deepEqual(Object.keys(results[0].credentials[0].attributes).toSorted(), ['degree', 'grade'])
    assert.deepEqual(troubles, [])
    await close()
  })
}
