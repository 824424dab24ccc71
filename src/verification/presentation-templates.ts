import type { Caller } from '../caller.ts'
import { newId } from '../crypto/random.ts'
import type { Entry } from '../events/entry.ts'
import type { ListAsk } from '../http/list.ts'
import type { Platform } from '../platform.ts'
import type { PresentationTemplate } from './presentation-template.ts'
import { readTemplate } from './read-template.ts'
import type { PresentationTemplateBody } from './template-schemas.ts'
import {
  archivePresentationTemplate,
  getPresentationTemplate,
  insertPresentationTemplate,
  listPresentationTemplates,
  replacePresentationTemplate,
} from './template-store.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'config'>

/** Adds a presentation template. @throws Fault `request.invalid` */
export async function createTemplate(
  { store, clock, config }: Needs,
  caller: Caller,
  body: PresentationTemplateBody,
): Promise<PresentationTemplate> {
  const content = readTemplate(body, config)
  const id = newId()
  const entry = entryOf('presentation_template.created', id, caller)
  return store.single(caller.tenantId, (tx) => insertPresentationTemplate(tx, id, content, entry, clock.now()))
}

/** Replaces a presentation template; open requests keep what they were made from. @throws Fault `request.invalid`, `resource.unknown` */
export async function replaceTemplate(
  { store, clock, config }: Needs,
  caller: Caller,
  id: string,
  body: PresentationTemplateBody,
): Promise<PresentationTemplate> {
  const content = readTemplate(body, config)
  const entry = entryOf('presentation_template.replaced', id, caller)
  return store.single(caller.tenantId, (tx) => replacePresentationTemplate(tx, id, content, entry, clock.now()))
}

/** Archives a presentation template. @throws Fault `resource.unknown` */
export async function archiveTemplate(
  { store, clock }: Needs,
  caller: Caller,
  id: string,
): Promise<PresentationTemplate> {
  const entry = entryOf('presentation_template.archived', id, caller)
  return store.single(caller.tenantId, (tx) => archivePresentationTemplate(tx, id, entry, clock.now()))
}

/** @throws Fault `resource.unknown` */
export async function getTemplate({ store }: Needs, caller: Caller, id: string): Promise<PresentationTemplate> {
  return store.single(caller.tenantId, (tx) => getPresentationTemplate(tx, id))
}

/** One page of the templates that are not archived. */
export async function listTemplates({ store }: Needs, caller: Caller, ask: ListAsk): Promise<PresentationTemplate[]> {
  return store.single(caller.tenantId, (tx) => listPresentationTemplates(tx, ask))
}

function entryOf(action: string, id: string, by: Caller): Entry {
  return { action, subject: { kind: 'presentation_template', id }, by }
}
