import { credentialTemplates } from '../../contract/issuance/credential-templates.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { type Html, html } from '../../pages/html.ts'
import { cardStyle } from '../../pages/look/credential-card.ts'
import { buttonLink } from '../../pages/parts.ts'
import { badge } from '../../pages/table.ts'
import { confirmScreen } from '../frame/confirm.ts'
import type { Frame } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import { when } from '../frame/when.ts'
import { resource } from '../resource/resource.ts'
import type { Template } from './content/template.ts'
import { cardOf, lookIn } from './designer.ts'
import { draftOf } from './draft.ts'
import { templateForm } from './form.ts'
import { templateTexts } from './texts.ts'
import { usagePanel } from './usage.ts'

const LIST = '/console/templates'
const place = 'templates'

/** Two pictures beside the texts. */
const FILE_BYTES_MAX = 524_288

const templates = resource({
  noun: credentialTemplates,
  place,
  path: LIST,
  texts: templateTexts,
  called: { one: 'a credential template', many: 'the credential templates' },
  name: { label: 'name', of: ({ name }) => name, isSorted: 'name' },
  columns: {
    kind: ({ format }, { language }) => templateTexts[language].formats[format],
    changed: ({ updatedAt }, frame) => when(frame, updatedAt),
    issue: issueWay,
  },
  sort: '-createdAt',
  sorts: ['createdAt', 'name'],
  search: { label: 'search', empty: 'emptyFilter' },
  narrowed: { archived: () => 'true' },
  behind: ({ language, query }) => {
    const t = templateTexts[language]
    return query.archived === undefined ? buttonLink(t.archived, `${LIST}?archived=1`) : buttonLink(t.active, LIST)
  },
  starts: ({ language }) => {
    const all = Object.entries(templateTexts[language].starts)
    return html`${all.map(([from, text]) => buttonLink(text, `${LIST}/new?from=${from}`))}`
  },
  facts: {},
  isChanging: ({ archivedAt }) => archivedAt === null,
  fixed: shown,
  form: templateForm,
  fileBytesMax: FILE_BYTES_MAX,
  isListNext: true,
  actions: ({ id, archivedAt }, { language }) => {
    const t = templateTexts[language]
    const copy = buttonLink(t.duplicate, `${LIST}/new?copy=${id}`)
    return archivedAt === null
      ? html`${buttonLink(t.issue, `/console/issue/${id}`, 'main')}${copy}`
      : html`${copy}${buttonLink(t.restore, `${LIST}/${id}/restore`)}`
  },
})

function issueWay({ id, name, archivedAt }: Template, frame: Frame): Html | string {
  const t = templateTexts[frame.language]
  if (archivedAt !== null) return badge(t.isArchived, 'plain')
  return may(frame, 'issuance:write')
    ? html`<a href="/console/issue/${id}" aria-label="${t.issue}: ${name}">${t.issue}</a>`
    : '–'
}

/** For those who may not change it, and of an archived template. */
async function shown(template: Template, frame: Frame) {
  const t = templateTexts[frame.language]
  const draft = draftOf(template)
  const rows = draft.rows
    .filter(({ type }) => type !== 'namespace')
    .map(({ key, name, type }) => {
      const kind = Object.entries(t.types).find(([value]) => value === type)?.[1] ?? type
      return html`<div><dt>${name || key}</dt><dd>${kind}</dd></div>`
    })
  const main = html`<div class="beside">
    <section class="panel">
      <header><h2>${t.attributes}</h2>${template.archivedAt !== null && badge(t.isArchived, 'plain')}</header>
      <dl class="facts">${rows}</dl>
    </section>
    <div class="stack">${cardOf(frame, draft)}${await usagePanel(frame, template)}</div>
  </div>`
  return { main, style: cardStyle(lookIn(draft)) }
}

const restore = confirmScreen({
  place,
  path: `${LIST}/{id}/restore`,
  summary: 'Asks whether to restore a credential template, and does it.',
  ask: async ({ api, language, params }) => {
    const t = templateTexts[language]
    const { name } = (await api.call(credentialTemplates.get, { params })).data
    const back = `${LIST}/${params.id}`
    return {
      title: t.restoreTitle,
      text: t.restoreText,
      button: t.restore,
      look: 'main',
      back,
      crumbs: [[t.title, LIST], [name, back], [t.restore]],
    }
  },
  act: async ({ api, params }) => {
    await api.call(credentialTemplates.restore, { params })
    return { to: LIST }
  },
})

/** Credential templates. */
export const templateScreens: readonly Endpoint[] = [...templates, ...restore]
