import assert from 'node:assert/strict'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { openBrowser, type Visit, visit } from '../../../test/support/browser.ts'
import { type Api, type Deployment, deploy } from '../../../test/support/server.ts'
import type { Replacements } from '../../assembly.ts'
import { type SignedIn, signInAs } from '../../console/test-support/console-walk.ts'
import { foreignIssuer } from '../../wallet/test-support/foreign-issuer.ts'
import { foreignVerifier } from '../../wallet/test-support/foreign-verifier.ts'

/** A window of a phone, and the smallest that pages are made for. */
export const phone = { viewport: { width: 390, height: 844 } } as const
export const small = { viewport: { width: 320, height: 640 } } as const

/** The address that opens a link in the wallet. */
export const opening = (link: string) => `/open?u=${encodeURIComponent(link)}`

/** Longer than any page takes on a machine that does much besides. */
const PAGE_MS_MAX = 60_000

type Template = { readonly id: string; readonly type: string }
type Closable = { close: () => Promise<void> }

/** A school that issues diplomas, a person with a wallet there, and browsers. */
export class HolderWorld {
  readonly chirograph: Deployment
  readonly browser: Browser
  readonly acme: Api
  readonly thandi: SignedIn
  readonly newcomer: SignedIn
  readonly diploma: Template
  /** Its offers need a code. */
  readonly withCode: Template
  readonly #opened: Closable[] = []
  readonly #profiles = new Map<string, Promise<Visit>>()
  #degree: string | null = null

  private constructor(
    parts: Pick<HolderWorld, 'chirograph' | 'browser' | 'acme' | 'thandi' | 'newcomer'>,
    templates: readonly Template[],
  ) {
    this.chirograph = parts.chirograph
    this.browser = parts.browser
    this.acme = parts.acme
    this.thandi = parts.thandi
    this.newcomer = parts.newcomer
    const [diploma, withCode] = templates
    assert.ok(diploma !== undefined && withCode !== undefined)
    this.diploma = diploma
    this.withCode = withCode
  }

  /** @param permits What {@link openBrowser} takes. */
  static async open(
    options: Replacements = {},
    env: Record<string, string> = {},
    permits: 'everything' | 'nothing' = 'nothing',
  ): Promise<HolderWorld> {
    const chirograph = await deploy(options, env)
    // A browser that is left open keeps the process of the test from ending.
    const browser = await openBrowser(permits)
    const acme = await chirograph.backend('acme')
    const globex = await chirograph.backend('globex')
    const [thandi, newcomer, ...templates] = await Promise.all([
      signInAs(browser, chirograph, acme, 'thandi', []),
      signInAs(browser, chirograph, globex, 'pieter', []),
      makeDiploma(acme, 'diploma'),
      makeDiploma(acme, 'with-code', { txCode: { length: 6 } }),
    ])
    return new HolderWorld({ chirograph, browser, acme, thandi, newcomer }, templates)
  }

  async close(): Promise<void> {
    await this.browser.close()
    await this.chirograph.stop()
  }

  /** Closes what the last test opened, also if it failed. */
  async closeOpened(): Promise<void> {
    this.#profiles.clear()
    await Promise.all(this.#opened.splice(0).map((one) => one.close()))
  }

  #keep<T extends Closable>(one: T): T {
    this.#opened.push(one)
    return one
  }

  readonly aShop = async (query: unknown, sendsBack = false) => this.#keep(await foreignVerifier(query, sendsBack))
  readonly aClub = async (...options: Parameters<typeof foreignIssuer>) => this.#keep(await foreignIssuer(...options))

  /** Issues one diploma. */
  async issue(credentialTemplateId = this.diploma.id, more: object = {}) {
    const body = { credentialTemplateId, attributes: claims, ...more }
    const made = await this.acme.post('/creds/credentials/issuance', body)
    assert.equal(made.status, 200, JSON.stringify(made.body))
    return made.body.data
  }

  /** Opens an empty page. */
  async open(as: SignedIn | null, options: BrowserContextOptions = {}): Promise<Visit> {
    const session = as !== null && { storageState: as }
    const visited = this.#keep(await visit(this.browser, this.chirograph.url, { ...phone, ...session, ...options }))
    visited.page.setDefaultTimeout(PAGE_MS_MAX)
    return visited
  }

  /**
   * Opens an empty page in the profile of all pages that were opened so for this person and with these options: a
   * profile of its own costs a processor half a second more.
   */
  async openBeside(as: SignedIn | null, options: BrowserContextOptions = {}): Promise<Page> {
    const name = JSON.stringify([as?.cookies, options])
    const first = this.#profiles.get(name) ?? this.#openFirst(as, options)
    this.#profiles.set(name, first)
    const beside = await (await first).page.context().newPage()
    beside.setDefaultTimeout(PAGE_MS_MAX)
    return beside
  }

  /** Without a page that stays, the process that draws the pages would end with each of them. */
  async #openFirst(as: SignedIn | null, options: BrowserContextOptions): Promise<Visit> {
    const visited = await this.open(as, options)
    await visited.page.goto('/me')
    return visited
  }

  /** Asks for two of six attributes. @returns the link of the request */
  async ask(): Promise<string> {
    this.#degree ??= await this.#askTemplate()
    const asked = await this.acme.post('/creds/presentations/request', { presentationTemplateId: this.#degree })
    return asked.body.data.authorizationRequestUri
  }

  async #askTemplate(): Promise<string> {
    const made = await this.acme.post('/creds/templates/presentations', {
      name: 'Proof of a degree',
      description: '',
      retentionSeconds: 86_400 * 30,
      credentials: [{ type: this.diploma.type, attributes: { degree: {}, grade: {} } }],
      verifierConfig: { purpose: 'To check the degree you gave in your application.' },
    })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    return made.body.data.id
  }

  /** What a diploma says. */
  get claims() {
    return claims
  }

  /** A query for the degree alone. */
  get degreeQuery() {
    const claims = [{ path: ['degree'] }]
    return { credentials: [{ id: 'd', format: 'dc+sd-jwt', meta: { vct_values: [this.diploma.type] }, claims }] }
  }
}

/** Takes an offer. @returns the path of the card */
export async function take(page: Page, offerUri: string): Promise<string> {
  await page.goto(opening(offerUri))
  await page.getByRole('button', { name: 'Take this card' }).click()
  await page.waitForURL(/\/me\/cards\/[0-9a-f-]{36}\?new=1$/)
  return new URL(page.url()).pathname
}

const claims = {
  family_name: 'Molefe',
  given_name: 'Thandi',
  birth_date: '2001-03-14',
  student_number: 'S-2041',
  degree: 'BSc Computer Science',
  grade: 78,
}
const attributes = {
  family_name: { type: 'string', name: 'Family name' },
  given_name: { type: 'string', name: 'Given name' },
  birth_date: { type: 'date', name: 'Date of birth' },
  student_number: { type: 'string', name: 'Student number' },
  degree: { type: 'string', name: 'Degree' },
  grade: { type: 'number', name: 'Grade' },
}

async function makeDiploma(acme: Api, code: string, more: object = {}): Promise<Template> {
  const display = { name: 'Diploma', locale: 'en', backgroundColor: '#1f2d4a', textColor: '#ffffff' }
  const made = await acme.post('/creds/templates/credentials', { name: 'Diploma', code, attributes, display, ...more })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return made.body.data
}

/** Takes a card, opens the consent to a shop's request for it, and removes the card elsewhere. @returns the shop */
export async function askedForRemoved(world: HolderWorld, page: Page) {
  const path = await take(page, (await world.issue()).offerUri)
  const shop = await world.aShop(world.degreeQuery)
  await page.goto(opening(shop.link()))
  const wallet = await world.chirograph.wallet('acme', 'thandi')
  await wallet.delete(`/wallet/v2/credentials/${path.split('/').at(-1)}`)
  return shop
}
