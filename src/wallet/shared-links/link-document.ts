import type { Readable } from 'node:stream'
import type { Caller } from '../../caller.ts'
import type { Language } from '../../contract/languages.ts'
import type { CredentialDetails } from '../../contract/wallet/card-display.ts'
import { faceOf } from '../../directory/tenants/face-of.ts'
import { findTenantOf } from '../../directory/tenants/find-tenant.ts'
import { Fault } from '../../fault.ts'
import { readBearerSecret, secretBytesOf } from '../../keys/bearer-secret.ts'
import { dateFormat } from '../../memory/formats.ts'
import { claimName, linesOf } from '../../pages/claims/claims.ts'
import { valueText } from '../../pages/claims/values.ts'
import { catalogue } from '../../pages/messages/catalogue.ts'
import en from '../../pages/messages/en/link-document.json' with { type: 'json' }
import type { Platform } from '../../platform.ts'
import { printPages } from '../../print/print-pages.ts'
import { foreignText } from '../../protocols/foreign-text.ts'
import { claimsOf, subjectClaims } from '../credentials/credential.ts'
import { holderOf } from '../credentials/holder.ts'
import { describeCredentials } from '../display/describe-credentials.ts'
import { findImage } from '../display/display-store.ts'
import { findOpenLink } from './card-link-store.ts'
import { linkPages, VALUES_MAX } from './link-pages.ts'
import { openLinked, openLinkView } from './sealed-link.ts'

const TEXT_CHARS = 500

const texts = catalogue('link-document', en, {
  title: ['card', 'recipient'],
  standing: { valid: ['when'], suspended: ['when'], revoked: ['when'], expired: ['when'], unlisted: ['when'] },
  ends: ['when'],
  more: ['count'],
})

/**
 * Prints a link of the caller that works: what it shows, from whom, how it stands, and its address as a QR code.
 *
 * @param address As the creation returned it; the database alone cannot open what the link shows.
 * @throws Fault `holder.missing`; `resource.unknown` for a link that does not work, and for the address of another one;
 *   those of `printPages`
 */
export async function printSharedLink(
  platform: Platform,
  caller: Caller,
  { id, address, language }: { readonly id: string; readonly address: string; readonly language: Language },
): Promise<Readable> {
  const { store, sealing, clock, urls } = platform
  const userId = holderOf(caller)
  const { tenantId } = caller
  const now = clock.now()
  const secret = address.slice(address.lastIndexOf('/') + 1)
  const read = readBearerSecret(secret)
  if (read === null || read.tenantId !== tenantId || read.id !== id) throw new Fault('resource.unknown')
  const row = await store.single(tenantId, (tx) => findOpenLink(tx, { id, secretHash: read.hash }, now))
  if (row === null || row.userId !== userId) throw new Fault('resource.unknown')
  const { credentialId, sealedView, sealedPresentation, expiresAt } = row
  const view = await openLinkView(sealing, tenantId, id, sealedView)
  const opened = await openLinked(sealing, tenantId, { id, secret: secretBytesOf(secret) }, sealedPresentation)
  const described = await describeCredentials(platform, { tenantId, userId }, [credentialId], language)
  const details = described.get(credentialId)
  // It was removed since.
  if (details === undefined) throw new Fault('resource.unknown')
  const image = await store.single(tenantId, (tx) => findImage(tx, userId, credentialId, 'logo'))
  // A picture of vectors is not printed.
  const logo = image === null || image.mediaType === 'image/svg+xml' ? null : image.bytes

  const { timeZone } = faceOf(await findTenantOf(platform, tenantId))
  const day = (time: Date) => dateFormat(language, { dateStyle: 'long', timeZone }).format(time)
  const moment = (time: Date) => dateFormat(language, { dateStyle: 'long', timeStyle: 'short', timeZone }).format(time)
  const t = texts[language]
  const { display, validUntil } = details
  const { lines, more } = linesOf(subjectClaims(claimsOf(opened.presentation)), display.labels, VALUES_MAX)
  const recipient = shown(view.recipient)
  const card = shown(display.name ?? view.vct)
  const title = t.title(card, recipient)
  const pages = linkPages({
    hasLogo: logo !== null,
    issuer: issuerOf(details),
    card,
    facts: [
      [t.for, recipient],
      [t.purpose, shown(view.purpose)],
      [t.validUntil, validUntil === null ? t.noEnd : day(new Date(validUntil))],
    ],
    standing: t.standing[standingOf(details, now)](moment(now)),
    values: lines.map(({ path, value }) => [claimName(display.labels, path), valueText(value, language)]),
    more: more > 0 ? t.more(more) : null,
    scan: t.scan,
    ends: t.ends(moment(expiresAt)),
    address: `${urls.publicUrl}/shared/${secret}`,
  })
  const document = { title, language, pictures: logo === null ? [] : [logo] }
  return printPages(platform, tenantId, document, inPieces(pages))
}

async function* inPieces<T>(pages: readonly T[]): AsyncGenerator<readonly T[]> {
  for (const page of pages) yield [page]
}

/** An issuer that the organisation of the holder does not know may have stated any name. */
function issuerOf({ display: { issuer } }: CredentialDetails): string {
  return shown(issuer.trust === 'unknown' || issuer.name === null ? issuer.identifier : issuer.name)
}

function standingOf({ standing, validUntil }: CredentialDetails, now: Date) {
  if (standing !== undefined && standing.status !== 'valid') return standing.status
  if (validUntil !== null && new Date(validUntil) <= now) return 'expired'
  return standing === undefined ? 'unlisted' : 'valid'
}

/** Names are texts of others: one line, without what changes how the rest is read. */
function shown(text: string): string {
  return foreignText(text, TEXT_CHARS) ?? '–'
}
