import { credentialTemplates } from '../../contract/issuance/credential-templates.ts'
import { credentialTypes } from '../../contract/issuance/types.ts'
import { isUuid } from '../../uuid.ts'
import { allOf, type Choices, readChoice, readChoices, searchIn } from '../frame/chooser.ts'
import type { Frame } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import type { Template } from '../templates/content/template.ts'
import { type AskedDraft, blankCredential, ownCredential } from './asked-credential.ts'
import type { OfferedType } from './request.ts'

/**
 * Something that can be asked for: its value in forms and addresses, its name, and the credential of a request made
 * from it.
 */
type Source = { readonly id: string; readonly name: string; readonly credential: AskedDraft }

/** What can be asked for: own templates, and types of other organisations, as far as the person may see them. */
export type RequestSources = {
  readonly own: Choices<Source>
  readonly others: Choices<Source>
  readonly templates: Choices<Template>
}

/**
 * Reads what can be asked for.
 *
 * @param hasOthers Whether others are read too where own templates fill the list; a search finds them in any case.
 */
export async function readRequestSources(frame: Frame, hasOthers: boolean): Promise<RequestSources> {
  const search = searchIn(frame, 'more')
  const templates = may(frame, 'issuance:read') ? await readChoices(frame, credentialTemplates, search) : allOf([])
  const isLeftOut = templates.isCut && search === '' && !hasOthers
  const types = isLeftOut ? allOf([]) : await readChoices(frame, credentialTypes, search)
  const others = types.rows.filter((one) => !isOwnType(frame, one, templates))
  return {
    templates,
    own: { ...templates, rows: templates.rows.map(sourceOfTemplate) },
    others: { ...types, rows: others.map(sourceOfType) },
  }
}

/** Of a list that does not have every template, the issuer says whose a type is. */
function isOwnType({ origin, me }: Frame, { type, issuer }: OfferedType, { rows, search, isCut }: Choices<Template>) {
  if (rows.some((one) => one.type === type)) return true
  return (isCut || search !== '') && issuer.id === `${origin}/issuers/${me.organisation.slug}`
}

function sourceOfTemplate(template: Template): Source {
  return { id: template.id, name: template.name, credential: ownCredential(template) }
}

function sourceOfType({ type, format, name, issuer }: OfferedType): Source {
  return { id: type, name: `${name} (${issuer.name})`, credential: { ...blankCredential, type, format, name } }
}

/**
 * Returns what can be asked for by its value, wherever in the lists it stands; null: there is nothing of this value.
 */
export async function findSource(frame: Frame, value: string): Promise<Source | null> {
  if (value === '') return null
  if (isUuid(value)) return (await readChoice(frame, credentialTemplates, value)).map(sourceOfTemplate)[0] ?? null
  const { data } = await frame.api.call(credentialTypes.list, { query: { 'filter[type]': value } })
  return data.map(sourceOfType)[0] ?? null
}

/**
 * Returns own templates, those of these types among them; a call of the API only where a list that was read is not all
 * there are.
 */
export async function withTypes(
  { api }: Frame,
  { rows, search, isCut }: Choices<Template>,
  types: readonly string[],
): Promise<readonly Template[]> {
  const missing = types.filter((type) => type !== '' && !rows.some((one) => one.type === type))
  if (missing.length === 0 || (!isCut && search === '')) return rows
  const { data } = await api.call(credentialTemplates.list, {
    query: {
      'filter[type]': missing.join(','),
      'page[size]': '100',
    },
  })
  return [...rows, ...data]
}
