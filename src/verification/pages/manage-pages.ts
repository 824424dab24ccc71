import type { Caller } from '../../caller.ts'
import type { VerificationPageBody, VerificationPageChange } from '../../contract/verification/verification-pages.ts'
import type { AuditEntry } from '../../events/audit/entry.ts'
import { Fault, type Violation } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { asPeerUrl } from '../../protocols/shape.ts'
import { newId } from '../../store/row-id.ts'
import { isUuid, knownId } from '../../uuid.ts'
import { checkRedirectUri, redirectPolicyOf } from '../templates/redirect-uris.ts'
import { getPresentationTemplate } from '../templates/template-store.ts'
import { forgetPage } from './find-page.ts'
import {
  deleteVerificationPage,
  findVerificationPage,
  insertVerificationPage,
  updateVerificationPage,
} from './page-store.ts'
import { type PageContent, pageDefaults, type VerificationPage } from './verification-page.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'config' | 'memory'>

const ATTEMPTS_MAX = 5

/**
 * Creates a verification page.
 *
 * @throws Fault `request.invalid`, `reference.unknown` (the template), `state.conflict` (too many pages)
 */
export async function createVerificationPage(
  needs: Needs,
  caller: Caller,
  body: VerificationPageBody,
  id = newId(),
): Promise<VerificationPage> {
  const content = await checked(needs, caller, { ...pageDefaults, ...body })
  const { store, clock } = needs
  const entry = entryOf('created', id, caller)
  const made = await store.inTenant(caller.tenantId, (tx) =>
    insertVerificationPage(tx, id, content, entry, clock.now()),
  )
  if (made !== null) return made
  await requireTemplate(needs, caller, content)
  throw new Fault('state.conflict', { detail: 'An organisation has at most 200 verification pages.' })
}

/**
 * Changes the members of a page that the body names. Other servers use the change within five seconds.
 *
 * @param isExpected Whether the page is still the one that the change was made from; without it, concurrent changes are
 *   merged.
 * @throws Fault `resource.unknown`, `request.invalid`, `reference.unknown`, `resource.changed`, `state.conflict`
 */
export async function changeVerificationPage(
  needs: Needs,
  caller: Caller,
  id: string,
  change: VerificationPageChange,
  isExpected?: (current: VerificationPage) => boolean,
): Promise<VerificationPage> {
  const { store, clock } = needs
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const current = await getVerificationPage(needs, caller, id)
    if (isExpected?.(current) === false) throw new Fault('resource.changed')
    const content = await checked(needs, caller, { ...current, ...change })
    const entry = { ...entryOf('changed', current.id, caller), detail: { members: Object.keys(change) } }
    const changed = await store.inTenant(caller.tenantId, (tx) =>
      updateVerificationPage(tx, current.id, content, current.updatedAt, entry, clock.now()),
    )
    if (changed !== null) {
      forgetPage(needs, current.id)
      return changed
    }
    if (content.presentationTemplateId !== current.presentationTemplateId) await requireTemplate(needs, caller, content)
  }
  throw new Fault(isExpected === undefined ? 'state.conflict' : 'resource.changed')
}

/** Deletes a page. Its open requests can be answered still, and results stay. @throws Fault `resource.unknown` */
export async function removeVerificationPage(needs: Needs, caller: Caller, id: string): Promise<void> {
  const { store, clock } = needs
  const entry = entryOf('deleted', knownId(id), caller)
  const isDeleted = await store.inTenant(caller.tenantId, (tx) =>
    deleteVerificationPage(tx, knownId(id), entry, clock.now()),
  )
  if (!isDeleted) throw new Fault('resource.unknown')
  forgetPage(needs, knownId(id))
}

/** Returns a page of the organisation. @throws Fault `resource.unknown` */
export async function getVerificationPage(
  { store }: Pick<Needs, 'store'>,
  { tenantId }: Caller,
  id: string,
): Promise<VerificationPage> {
  const found = await store.single(tenantId, (tx) => findVerificationPage(tx, knownId(id)))
  if (found === null) throw new Fault('resource.unknown')
  return found
}

/** Returns the content without what is undefined. @throws Fault `request.invalid` */
async function checked(needs: Needs, { tenantId }: Caller, merged: PageInput): Promise<PageContent> {
  const { name, presentationTemplateId, origins, heading, explanation, visitorSees, redirectUri } = {
    ...pageDefaults,
    ...merged,
  }
  const { requestsPerMinute, requestsPerAddress, expiresInSeconds, isOpen, anotherDevice } = {
    ...pageDefaults,
    ...merged,
  }
  const violations = [
    ...originViolations({ origins }, needs.config),
    ...(redirectUri === null
      ? []
      : checkRedirectUri(redirectUri, '/redirectUri', await redirectPolicyOf(needs, tenantId))),
  ]
  if (violations.length > 0) throw new Fault('request.invalid', { violations })
  if (!isUuid(presentationTemplateId)) throw unknownTemplate()
  return {
    name,
    presentationTemplateId: presentationTemplateId.toLowerCase(),
    origins,
    heading,
    explanation,
    visitorSees,
    redirectUri,
    anotherDevice,
    requestsPerMinute,
    requestsPerAddress,
    expiresInSeconds,
    isOpen,
  }
}

type PageInput = Partial<PageContent> & Pick<PageContent, 'name' | 'presentationTemplateId'>

// No wildcard, and nothing that a policy of the page would read otherwise.
const HOST = /^https?:\/\/[a-z0-9.:[\]-]+$/

/** Returns the violations of the origins, if they are given. */
export function originViolations(
  { origins = [] }: { readonly origins?: readonly string[] | undefined },
  config: Pick<Needs['config'], 'isDevelopment'>,
): readonly Violation[] {
  return origins.flatMap((one, index) => originViolation(config, one, index))
}

/** Browsers compare it as text, so it must be spelled as they do. */
function originViolation(
  config: Pick<Needs['config'], 'isDevelopment'>,
  origin: string,
  index: number,
): readonly Violation[] {
  const url = asPeerUrl(origin, { allowHttpLoopback: config.isDevelopment })
  if (url !== null && url.origin === origin && HOST.test(origin)) return []
  const detail = 'An origin is the scheme https and a host, with its port if that is not 443, and nothing else.'
  return [{ detail, pointer: `/origins/${index}`, rule: 'page.origin' }]
}

async function requireTemplate(
  { store }: Needs,
  { tenantId }: Caller,
  { presentationTemplateId: id }: PageContent,
): Promise<void> {
  try {
    await store.single(tenantId, (tx) => getPresentationTemplate(tx, id))
  } catch (error) {
    if (error instanceof Fault && error.code === 'resource.unknown') throw unknownTemplate()
    throw error
  }
}

function unknownTemplate(): Fault {
  const detail = 'There is no such presentation template.'
  return new Fault('reference.unknown', {
    violations: [{ detail, pointer: '/presentationTemplateId', rule: 'presentation_template.unknown' }],
  })
}

function entryOf(change: 'created' | 'changed' | 'deleted', id: string, by: Caller): AuditEntry {
  return { action: `verification_page.${change}`, subject: { kind: 'verification_page', id }, by }
}
