import type { Readable } from 'node:stream'
import { type Caller, holds, type TenantId } from '../../caller.ts'
import type { letterCodes } from '../../contract/issuance/batches.ts'
import type { Language } from '../../contract/languages.ts'
import { faceOf, firstLanguage } from '../../directory/tenants/face-of.ts'
import { findTenantOf } from '../../directory/tenants/find-tenant.ts'
import { Fault } from '../../fault.ts'
import { shownOf } from '../../keys/sealed-column.ts'
import { dateFormat } from '../../memory/formats.ts'
import type { Platform } from '../../platform.ts'
import { printPages } from '../../print/print-pages.ts'
import type { PrintedPage } from '../../print/printed-page.ts'
import { foreignText } from '../../protocols/foreign-text.ts'
import type { Batch } from '../batches/batch.ts'
import { labelColumn } from '../issuances/label.ts'
import { type CredentialTemplate, nameIn } from '../templates/template.ts'
import { latestTemplate } from '../templates/template-cache.ts'
import { handOutTexts } from './hand-out-texts.ts'
import { type Letter, letterPage, SLIPS_PER_PAGE, slipsPage } from './letter-pages.ts'
import { type HandOutItem, readHandOut } from './read-hand-out.ts'

/** Fetches the logo of an organisation; null if it cannot be shown. */
export type LogoOf = (
  platform: Platform,
  tenantId: TenantId,
  uri: string,
) => Promise<{ readonly mediaType: string; readonly bytes: Uint8Array } | null>

const NAME_CHARS_MAX = 200

type Codes = (typeof letterCodes)[number]
/** What the letters of a batch have in common. */
type Common = {
  readonly caller: Caller
  readonly organisation: string
  readonly template: CredentialTemplate
  readonly timeZone: string
  /** Of letters to people whose row names none. */
  readonly language: Language
  readonly hasLogo: boolean
}

/**
 * Prints a letter for each item with an open offer, in the order of the items and in the language of the person; or
 * slips with their transaction codes. Items that were delivered to a wallet have no letter.
 *
 * @throws Fault `scope.missing` for a caller who may not issue, who gets no links; `state.invalid` without a letter, or
 *   where this server prints none; `request.rate_limited` while other documents of the tenant are printed
 */
export async function itemLetters(
  platform: Platform,
  logoOf: LogoOf,
  caller: Caller,
  batch: Batch,
  codes: Codes = 'with',
): Promise<Readable> {
  const { tenantId } = caller
  if (!holds(caller, 'issuance:write')) {
    const detail = 'Letters have links that redeem an offer: the token lacks the scope issuance:write.'
    throw new Fault('scope.missing', { detail, meta: { requiredScope: 'issuance:write' } })
  }
  const tenant = await findTenantOf(platform, tenantId)
  const template = await latestTemplate(platform, tenantId, batch.templateId)
  const { logoUri, timeZone } = faceOf(tenant)
  const logo = codes === 'slips' || logoUri === null ? null : await logoOf(platform, tenantId, logoUri)
  // A picture of vectors is not printed.
  const pictures = logo === null || logo.mediaType === 'image/svg+xml' ? [] : [logo.bytes]
  const language = await firstLanguage(platform, tenantId)
  const organisation = shown(tenant?.name ?? '')
  const common = { caller, organisation, template, timeZone, language, hasLogo: pictures.length > 0 }
  const pages = pagesOf(platform, common, batch, codes)
  const first = await pages.next()
  if (first.done === true) {
    const detail = codes === 'slips' ? 'No open offer of the batch has a code to show.' : 'The batch has no open offer.'
    throw new Fault('state.invalid', { detail })
  }
  const { letter: t } = handOutTexts[language]
  const name = batch.name ?? template.name
  const title = codes === 'slips' ? t.slips(name) : t.title(name)
  return printPages(platform, tenantId, { title, language, pictures }, following(first.value, pages))
}

async function* following<T>(first: T, rest: AsyncGenerator<T>): AsyncGenerator<T> {
  yield first
  yield* rest
}

/** Yields pieces of pages, none empty. */
async function* pagesOf(
  platform: Platform,
  common: Common,
  batch: Batch,
  codes: Codes,
): AsyncGenerator<readonly PrintedPage[]> {
  let slips: Letter[] = []
  for await (const items of readHandOut(platform, common.caller, batch, 'done')) {
    const open = items.filter(({ item, view }) => item.open !== null && view.deliveryId === undefined)
    const letters: Letter[] = []
    for (const one of open) letters.push(await letterOf(platform, common, one))
    if (codes !== 'slips') {
      const shownLetters = codes === 'with' ? letters : letters.map((one) => ({ ...one, code: null }))
      if (letters.length > 0) yield shownLetters.map(letterPage)
      continue
    }
    slips.push(...letters.filter(({ code }) => code !== null))
    if (slips.length >= SLIPS_PER_PAGE) {
      yield [slipsPage(slips.slice(0, SLIPS_PER_PAGE))]
      slips = slips.slice(SLIPS_PER_PAGE)
    }
  }
  for (; slips.length > 0; slips = slips.slice(SLIPS_PER_PAGE)) yield [slipsPage(slips.slice(0, SLIPS_PER_PAGE))]
}

async function letterOf(
  { sealing, log }: Platform,
  { caller, organisation, template, timeZone, language: first, hasLogo }: Common,
  { item, view, kept, sealedLabel, expiresAt }: HandOutItem,
): Promise<Letter> {
  const { tenantId } = caller
  const { language = first } = kept
  const label =
    sealedLabel === null
      ? null
      : await shownOf(log, labelColumn.open(sealing, tenantId, item.id, sealedLabel), { issuanceId: item.id })
  const { display } = template.definition
  const end = dateFormat(language, { dateStyle: 'long', timeZone })
  return {
    organisation,
    hasLogo,
    language,
    person: label ?? view.reference ?? null,
    card: shown(nameIn(language, { name: template.name, display })),
    link: view.offerPageUri ?? '',
    end: expiresAt === null ? null : end.format(expiresAt),
    hasCode: item.open?.txCodeMac != null,
    code: view.txCode ?? null,
  }
}

/** Names are texts of others: one line, without what changes how the rest is read. */
function shown(name: string): string {
  return foreignText(name, NAME_CHARS_MAX) ?? '–'
}
