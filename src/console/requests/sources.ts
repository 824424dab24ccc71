import type { Frame } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import type { Template } from '../templates/content/template.ts'
import { type AskedDraft, blankCredential, ownCredential } from './asked-credential.ts'
import type { Choosable } from './credential-fields.ts'
import type { PublishedType } from './request.ts'

/** Something that can be asked for: its value in forms and addresses, its name, and the credential of a request made from it. */
export type Source = {
  readonly value: string
  readonly text: string
  readonly credential: AskedDraft
  readonly isOwn: boolean
}

/** What the screens of requests choose from. */
export type Sources = {
  readonly templates: readonly Template[]
  readonly sources: readonly Source[]
  readonly entities: readonly Choosable[]
}

/** Reads own templates, types of other organisations, and trusted entities, as far as the person may see them: at most 100 each. */
export async function readSources(frame: Frame): Promise<Sources> {
  const { api } = frame
  const first = { 'page[size]': '100', sort: 'name' }
  const [templates, types, entities] = await Promise.all([
    may(frame, 'issuance:read') ? api.get<readonly Template[]>('/creds/templates/credentials', first) : null,
    api.get<readonly PublishedType[]>('/creds/types', first),
    may(frame, 'trust:read') ? api.get<readonly Choosable[]>('/creds/trusted-entities', { 'page[size]': '100' }) : null,
  ])
  const own = templates?.data ?? []
  const others = types.data.filter(({ type }) => !own.some((one) => one.type === type))
  const sources = [
    ...own.map((one) => ({ value: one.id, text: one.name, credential: ownCredential(one), isOwn: true })),
    ...others.map(({ type, format, name, issuer }) => {
      return {
        value: type,
        text: `${name} (${issuer.name})`,
        credential: { ...blankCredential, type, format, name },
        isOwn: false,
      }
    }),
  ]
  return { templates: own, sources, entities: entities?.data ?? [] }
}
