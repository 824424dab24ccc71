import { credentialTemplates } from '../../contract/issuance/credential-templates.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { type Html, html } from '../../pages/html.ts'
import { cardStyle } from '../../pages/look/credential-card.ts'
import { onceHeader, typed } from '../../pages/once.ts'
import { ApiRefusal } from '../../pages/own-api.ts'
import { buttonLink } from '../../pages/parts.ts'
import { badge } from '../../pages/table.ts'
import { confirmScreen } from '../frame/confirm.ts'
import { findingsOf, hasProblems, noProblems, type Problems } from '../frame/form-values.ts'
import { type Frame, formScreen, type Screen } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import { compared } from './compared.ts'
import { editRows } from './content/attribute-rows.ts'
import { type Draft, draftOf, readDraft } from './content/draft.ts'
import { bodyOf, type TemplateBody } from './content/draft-body.ts'
import type { Template } from './content/template.ts'
import { cardOf, type DesignerPlace, designer } from './designer.ts'
import { faultsOf, placeOf } from './findings.ts'
import { readSources } from './further-fields.ts'
import { furtherTexts } from './further-texts.ts'
import { imageIn } from './image-file.ts'
import { templateList } from './list-screen.ts'
import { freeLocale } from './locales.ts'
import { starts } from './starts.ts'
import { templateTexts } from './texts.ts'
import { readUsage, usagePanel } from './usage.ts'

const LIST = '/console/templates'
const place = 'templates'
/** Two pictures beside the texts. */
const fileBytesMax = 524_288

/** What is being edited: a template that exists, or a new one, perhaps from a copy. */
type Subject = { readonly action: string; readonly current: Template | null; readonly copied: Template | null }

const create = formScreen({
  place,
  path: `${LIST}/new`,
  summary: 'Makes a credential template.',
  fileBytesMax,
  show: async (frame) => {
    const copied = await copiedIn(frame)
    const draft = frame.isKept ? readDraft(frame.fields) : startOf(frame, copied)
    const above = copied === null && !frame.isKept ? startLinks(frame) : undefined
    return designer(frame, {
      ...shownOf({ action: `${LIST}/new`, current: null, copied }),
      draft,
      problems: noProblems,
      sources: await readSources(frame),
      above,
    })
  },
  send: async (frame) => edit(frame, { action: `${LIST}/new`, current: null, copied: await copiedIn(frame) }),
})

async function copiedIn(frame: Frame): Promise<Template | null> {
  const id = typed(frame.fields, 'copy') || (frame.query.copy ?? '')
  return id === '' ? null : (await read(frame, id)).template
}

function startOf(frame: Frame, copied: Template | null): Draft {
  const t = templateTexts[frame.language]
  if (copied !== null) return { ...draftOf(copied, ''), code: '', name: t.copyOf(copied.name) }
  const { from = 'blank' } = frame.query
  const isKnown = (name: string): name is keyof typeof starts => Object.hasOwn(starts, name)
  return starts[isKnown(from) ? from : 'blank'](t)
}

function startLinks({ language, query }: Frame): Html {
  const t = templateTexts[language]
  const links = Object.entries(t.starts).map(([from, text]) => {
    const path = `${LIST}/new?from=${from}`
    const isHere = (query.from ?? 'blank') === from
    return html`<a class="button plain" href="${path}"${isHere && html` aria-current="page"`}>${text}</a>`
  })
  return html`<nav class="tabs" aria-label="${t.startFrom}">${links}</nav>`
}

const one = formScreen({
  place,
  path: `${LIST}/{id}`,
  summary: 'Changes a credential template.',
  fileBytesMax,
  show: async (frame) => {
    const { template, etag } = await read(frame, frame.params.id)
    const aside = usagePanel(frame, template, await readUsage(frame, template))
    if (template.archivedAt !== null || !may(frame, 'issuance:write')) return shown(frame, template, aside)
    const draft = frame.isKept ? readDraft(frame.fields) : draftOf(template, etag)
    const subject = { action: `${LIST}/${template.id}`, current: template, copied: null }
    const sources = await readSources(frame)
    const page = designer(frame, { ...shownOf(subject), draft, problems: noProblems, sources, aside })
    return { ...page, title: template.name, crumbs: crumbsOf(frame, template), actions: actionsOf(frame, template) }
  },
  send: async (frame) => {
    const { template } = await read(frame, frame.params.id)
    return edit(frame, { action: `${LIST}/${template.id}`, current: template, copied: null })
  },
})

async function read({ api }: Frame, id: string) {
  const { data, etag } = await api.call(credentialTemplates.get, { params: { id } })
  return { template: data, etag: etag ?? '' }
}

function shownOf({ action, current, copied }: Subject) {
  return { action, fixedType: current?.type ?? null, ...(copied !== null && { copied: copied.id }) }
}

function crumbsOf({ language }: Frame, { name }: Template): NonNullable<Screen['crumbs']> {
  return [[templateTexts[language].title, LIST], [name]]
}

function actionsOf(frame: Frame, { id, archivedAt }: Template): Html {
  const t = templateTexts[frame.language]
  if (!may(frame, 'issuance:write')) return html``
  const copy = buttonLink(t.duplicate, `${LIST}/new?copy=${id}`)
  if (archivedAt !== null)
    return html`<div class="buttons">${copy}${buttonLink(t.restore, `${LIST}/${id}/restore`)}</div>`
  return html`<div class="buttons">
    ${buttonLink(t.issue, `/console/issue/${id}`, 'main')}
    ${copy}
    ${buttonLink(t.archive, `${LIST}/${id}/archive`)}
  </div>`
}

/** For those who may not change it, and of an archived template. */
function shown(frame: Frame, template: Template, usage: Html): Screen {
  const t = templateTexts[frame.language]
  const draft = draftOf(template, '')
  const rows = draft.rows
    .filter(({ type }) => type !== 'namespace')
    .map(({ key, name, type }) => {
      const kind = Object.entries(t.types).find(([value]) => value === type)?.[1] ?? type
      return html`<div><dt>${name || key}</dt><dd>${kind}</dd></div>`
    })
  return {
    title: template.name,
    crumbs: crumbsOf(frame, template),
    main: html`<div class="beside">
      <section class="panel">
        <header><h2>${t.attributes}</h2>${template.archivedAt !== null && badge(t.isArchived, 'plain')}</header>
        <dl class="facts">${rows}</dl>
      </section>
      <div class="stack">${cardOf(frame, draft)}${usage}</div>
    </div>`,
    style: cardStyle(draft),
    actions: actionsOf(frame, template),
  }
}

type Edited = Screen | { readonly to: string } | { readonly fragment: Html }

/** Does what the pressed button says: edits the rows, draws the card, or saves. */
async function edit(frame: Frame, subject: Subject): Promise<Edited> {
  const pressed = typed(frame.fields, 'do')
  const { draft, problems: wrong } = withFiles(frame, readDraft(frame.fields))
  if (pressed === 'preview' && frame.headers['sec-fetch-dest'] === 'empty') return { fragment: cardOf(frame, draft) }
  const show = async (problems: Problems, now = draft, at: DesignerPlace = {}) =>
    designer(frame, { ...shownOf(subject), draft: now, problems, at, sources: await readSources(frame) })
  if (pressed !== 'save') {
    const edited = hasProblems(wrong) ? null : pressedIn(draft, pressed, frame.language)
    return edited === null ? show(wrong) : show(noProblems, edited.draft, edited.at)
  }
  const faults = faultsOf(draft, templateTexts[frame.language], furtherTexts[frame.language], frame.t)
  const problems = { fields: { ...faults.fields, ...wrong.fields } }
  if (hasProblems(problems)) return show(problems)
  const body = bodyOf(draft, subject.current ?? subject.copied, subject.current === null)
  try {
    await save(frame, draft, body, subject)
  } catch (error) {
    if (error instanceof ApiRefusal && error.status === 412 && subject.current !== null)
      return conflict(frame, draft, subject.current.id, subject)
    return show(findingsOf(frame, error, (pointer) => placeOf(pointer, draft, body, frame.t)))
  }
  return { to: LIST }
}

/** Files become part of the form, so that the next answer still has them. */
function withFiles(frame: Frame, draft: Draft): { readonly draft: Draft; readonly problems: Problems } {
  const t = templateTexts[frame.language]
  const [logo, picture] = [imageIn(frame.fileOf('logoFile')), imageIn(frame.fileOf('pictureFile'))]
  const fields = {
    ...(logo !== null && 'problem' in logo && { logoFile: t.image[logo.problem] }),
    ...(picture !== null && 'problem' in picture && { pictureFile: t.image[picture.problem] }),
  }
  const chosen = {
    ...(logo !== null && 'uri' in logo && { logo: logo.uri }),
    ...(picture !== null && 'uri' in picture && { picture: picture.uri }),
  }
  return { draft: { ...draft, ...chosen }, problems: { fields } }
}

/** Returns the draft after a button, and where the person continues; null: it changes nothing. */
function pressedIn(
  draft: Draft,
  pressed: string,
  language: Frame['language'],
): { readonly draft: Draft; readonly at: DesignerPlace } | null {
  const { languages, locale } = draft
  if (pressed === 'language') {
    const own = locale || language
    const added = { locale: freeLocale([own, ...languages.map((one) => one.locale)]), name: '', about: '' }
    return { draft: { ...draft, locale: own, languages: [...languages, added] }, at: { language: languages.length } }
  }
  if (pressed.startsWith('unlanguage-')) {
    const at = Number(pressed.slice('unlanguage-'.length))
    const rows = draft.rows.map((row) => ({ ...row, names: row.names.filter((_, place) => place !== at) }))
    return {
      draft: { ...draft, rows, languages: languages.filter((_, place) => place !== at) },
      at: { language: at - 1 },
    }
  }
  const edited = editRows(draft.rows, pressed, draft.format === 'mdoc')
  return edited === null ? null : { draft: { ...draft, rows: edited.rows }, at: { row: edited.at } }
}

async function save({ api, fields }: Frame, { etag }: Draft, body: TemplateBody, { current }: Subject): Promise<void> {
  if (current === null) await api.call(credentialTemplates.create, { body, headers: onceHeader(fields) })
  else await api.call(credentialTemplates.replace, { params: { id: current.id }, body, ifMatch: etag })
}

/** Another person saved the template meanwhile: both versions, and the form as it was typed. */
async function conflict(frame: Frame, draft: Draft, id: string, subject: Subject): Promise<Screen> {
  const { template, etag } = await read(frame, id)
  const above = compared(frame, draftOf(template, etag), draft, subject.action)
  const again = { ...shownOf(subject), draft: { ...draft, etag }, problems: noProblems, above }
  const page = designer(frame, { ...again, sources: await readSources(frame) })
  return { ...page, status: 412, hasErrors: true }
}

type Ask = { readonly title: 'archiveTitle' | 'restoreTitle'; readonly text: 'archiveText' | 'restoreText' }

function asked(path: `${string}{id}${string}`, verb: 'archive' | 'restore', { title, text }: Ask): readonly Endpoint[] {
  return confirmScreen({
    place,
    path,
    summary: `Asks whether to ${verb} a credential template, and does it.`,
    ask: async (frame) => {
      const t = templateTexts[frame.language]
      const { template } = await read(frame, frame.params.id ?? '')
      const back = `${LIST}/${template.id}`
      return {
        title: t[title],
        text: t[text],
        button: t[verb],
        look: verb === 'archive' ? 'danger' : 'main',
        back,
        crumbs: [[t.title, LIST], [template.name, back], [t[verb]]],
      }
    },
    act: async ({ api, params }) => {
      await (verb === 'archive'
        ? api.call(credentialTemplates.archive, { params: { id: params.id ?? '' } })
        : api.call(credentialTemplates.restore, { params: { id: params.id ?? '' } }))
      return { to: LIST }
    },
  })
}

/** Credential templates. */
export const templateScreens: readonly Endpoint[] = [
  ...templateList,
  ...create,
  ...one,
  ...asked(`${LIST}/{id}/archive`, 'archive', { title: 'archiveTitle', text: 'archiveText' }),
  ...asked(`${LIST}/{id}/restore`, 'restore', { title: 'restoreTitle', text: 'restoreText' }),
]
