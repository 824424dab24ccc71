import { organisation } from '../../contract/directory/organisation.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { hidden } from '../../pages/controls.ts'
import { foreign } from '../../pages/foreign-text.ts'
import { fileForm, form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { typed } from '../../pages/once.ts'
import { ApiRefusal } from '../../pages/own-api.ts'
import { button, buttonLink, card, facts, message } from '../../pages/parts.ts'
import { hasProblems, noProblems, type Problems, problemList } from '../frame/form-values.ts'
import { type Answer, type Frame, formScreen, type Screen } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import { differingVersions } from '../resource/differing-versions.ts'
import type { Draft, FormField } from '../resource/fields.ts'
import type { ResourceForm } from '../resource/form.ts'
import { type Organisation, type Part, type SettingName, sectionsOf, settingForm } from './settings.ts'
import { type SettingTexts, settingTexts } from './texts.ts'

const place = 'settings'
const paths: Readonly<Record<Part, string>> = { general: '/console/settings', policies: '/console/settings/policies' }

/** A logo in a file, and one that was chosen before. */
const FORM_BYTES_MAX = 524_288

type Shown = {
  readonly part: Part
  readonly now: Organisation
  readonly draft: Draft
  /** Of the state that the form was made from. */
  readonly etag: string
  readonly problems: Problems
  readonly both?: Html
}

function settingScreen(part: Part): readonly Endpoint[] {
  const what = { general: 'name, look, languages and defaults', policies: 'policies' }[part]
  return formScreen({
    place,
    path: paths[part],
    ...(part === 'general' && { fileBytesMax: FORM_BYTES_MAX, scope: 'tenant:admin' as const }),
    summary: `Shows and changes the settings of the organisation: ${what}.`,
    show: async (frame) => {
      const { now, etag } = await read(frame)
      const its = formOf(part, now)
      return frame.isKept
        ? settingPage(frame, { part, now, ...typedIn(frame, its), problems: noProblems })
        : settingPage(frame, { part, now, draft: its.saved(now), etag, problems: noProblems })
    },
    send: (frame) => save(frame, part),
  })
}

async function read({ api }: Frame) {
  const { data, etag } = await api.call(organisation.get)
  return { now: data, etag: etag ?? '' }
}

/** The fields of a section, each with its name. */
function fieldsIn(fields: (typeof sectionsOf)[Part][number][1]): readonly (readonly [SettingName, FormField])[] {
  // Object.entries loses the type of the keys.
  return Object.entries(fields) as unknown as readonly (readonly [SettingName, FormField])[]
}

/** The form of what can be changed on a page: what the bootstrap file names cannot. */
function formOf(part: Part, { fixedMembers }: Organisation): ResourceForm {
  const all = sectionsOf[part].flatMap(([, fields]) => fieldsIn(fields))
  return settingForm(Object.fromEntries(all.filter(([name]) => !fixedMembers.includes(name))))
}

function typedIn({ fields }: Frame, its: ResourceForm): Pick<Shown, 'draft' | 'etag'> {
  return { draft: its.read(fields), etag: typed(fields, 'etag') }
}

async function save(frame: Frame, part: Part): Promise<Answer> {
  const { now } = await read(frame)
  const its = formOf(part, now)
  const sent = typedIn(frame, its)
  const again = (problems: Problems) => settingPage(frame, { part, now, ...sent, problems })
  const faults = its.faults(frame, sent.draft, false)
  if (hasProblems(faults)) return again(faults)
  try {
    const body = its.changes(sent.draft, its.saved(now))
    await frame.api.call(organisation.change, { body, ifMatch: sent.etag })
    return { to: `${paths[part]}?saved=1`, renewsMe: true }
  } catch (error) {
    if (!(error instanceof ApiRefusal) || error.status !== 412)
      return again(its.refused(frame, sent.draft, error, false))
    const later = await read(frame)
    const both = differingVersions(frame, formOf(part, later.now), {
      found: later.now,
      draft: sent.draft,
      saved: paths[part],
    })
    const page = settingPage(frame, { part, ...later, draft: sent.draft, problems: noProblems, both })
    return { ...page, status: 412, hasErrors: true }
  }
}

function settingPage(frame: Frame, { part, now, draft, etag, problems, both }: Shown): Screen {
  const t = settingTexts[frame.language]
  const sendForm = part === 'general' ? fileForm : form
  const canWrite = may(frame, part === 'general' ? 'tenant:admin' : 'trust:write')
  const isFixed = (name: SettingName) => now.fixedMembers.includes(name)
  const sections = sectionsOf[part].map(([heading, fields]) => {
    const all = fieldsIn(fields)
    const open = all.filter(([name]) => canWrite && !isFixed(name))
    const closed = all.filter(([name]) => !canWrite || isFixed(name))
    const known = facts(closed.map((one) => [t.labels[one[0]], factOf(frame, one, now)]))
    const drawn = settingForm(Object.fromEntries(open)).draw(frame, draft, problems, false)
    return card(html`${closed.length > 0 && known}${drawn}`, t.sections[heading])
  })
  const hasFixed = sectionsOf[part].some(([, fields]) => fieldsIn(fields).some(([name]) => isFixed(name)))
  const buttons = html`${button(frame.t.save, { look: 'main' })}${buttonLink(frame.t.cancel, '/console')}`
  const content = html`${hidden('etag', etag)}${sections}<div class="buttons">${buttons}</div>`
  const isSaved = frame.query.saved !== undefined && !hasProblems(problems)
  const notes = html`${problemList(frame.texts.problems, problems)}${both}${isSaved && message('done', t.saved)}
${!canWrite && html`<p class="hint">${t.readOnly[part]}</p>`}${hasFixed && html`<p class="hint">${t.fixedText}</p>`}`
  return {
    title: part === 'general' ? t.title : t.policies,
    ...(part === 'policies' && { crumbs: [[t.title, paths.general], [t.policies]] as const }),
    main: html`${tabs(part, t)}<div class="narrow stack">${notes}
${canWrite ? sendForm(frame, paths[part], content) : html`<div class="stack">${sections}</div>`}</div>`,
    hasErrors: hasProblems(problems),
  }
}

function tabs(part: Part, t: SettingTexts): Html {
  const links = (['general', 'policies'] as const).map((one) => {
    const current = one === part && html` aria-current="page"`
    return html`<a class="button plain" href="${paths[one]}"${current}>${t.pages[one]}</a>`
  })
  return html`<nav class="actions tabs" aria-label="${t.pagesLabel}">${links}</nav>`
}

function factOf(frame: Frame, [name, one]: readonly [SettingName, FormField], now: Organisation): Html {
  const t = settingTexts[frame.language]
  const value = foreign(one.words(frame, one.fill(now[name])) || t.notSet, 500)
  return now.fixedMembers.includes(name) ? html`${value}<br><span class="hint">${t.fixed}</span>` : value
}

/** The settings of the organisation. */
export const settingScreens: readonly Endpoint[] = [...settingScreen('general'), ...settingScreen('policies')]
