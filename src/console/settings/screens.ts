import { organisation } from '../../contract/directory/organisation.ts'
import { parseJson } from '../../crypto/json.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { stepsOf } from '../../json-pointer.ts'
import { hidden } from '../../pages/controls.ts'
import { foreign } from '../../pages/foreign-text.ts'
import { form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { typed } from '../../pages/once.ts'
import { ApiRefusal } from '../../pages/own-api.ts'
import { button, buttonLink, card, facts, message } from '../../pages/parts.ts'
import { bothVersions } from '../frame/both-versions.ts'
import { hasProblems, noProblems, type Problems, problemList, problemsOf } from '../frame/form-values.ts'
import { type Frame, formScreen, type Screen } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import { control, shownValue } from './setting-controls.ts'
import {
  COLOUR,
  type Organisation,
  type Part,
  readValue,
  type SettingField,
  sectionsOf,
  textOf,
  typedText,
} from './settings.ts'
import { type SettingTexts, settingTexts } from './texts.ts'

const place = 'settings'
const paths: Readonly<Record<Part, string>> = { general: '/console/settings', policies: '/console/settings/policies' }

/** What is in the form: texts by the name of the setting, and the state that they were made from. */
type Draft = { readonly texts: Readonly<Record<string, string>>; readonly etag: string }

type Shown = {
  readonly part: Part
  readonly now: Organisation
  readonly draft: Draft
  readonly problems: Problems
  readonly conflict?: Html
}

function settingScreen(part: Part): readonly Endpoint[] {
  const what = { general: 'name, look, languages and defaults', policies: 'policies' }[part]
  return formScreen({
    place,
    path: paths[part],
    summary: `Shows and changes the settings of the organisation: ${what}.`,
    show: async (frame) => {
      const { now, etag } = await read(frame)
      const draft = frame.isKept ? typedDraft(frame, part, now) : savedDraft(part, now, etag)
      return settingPage(frame, { part, now, draft, problems: noProblems })
    },
    send: (frame) => save(frame, part),
  })
}

async function read({ api }: Frame) {
  const { data, etag } = await api.call(organisation.get)
  return { now: data, etag: etag ?? '' }
}

function fieldsOf(part: Part): readonly SettingField[] {
  return sectionsOf[part].flatMap(([, fields]) => fields)
}

function savedDraft(part: Part, now: Organisation, etag: string): Draft {
  return { etag, texts: Object.fromEntries(fieldsOf(part).map((one) => [one.name, textOf(one, now[one.name])])) }
}

/** What was typed; a setting that is fixed is what it is. */
function typedDraft({ fields }: Frame, part: Part, now: Organisation): Draft {
  const texts = fieldsOf(part).map((one) => {
    const isFixed = now.fixedMembers.includes(one.name)
    return [one.name, isFixed ? textOf(one, now[one.name]) : typedText(one, fields)] as const
  })
  return { texts: Object.fromEntries(texts), etag: typed(fields, 'etag') }
}

/** The settings that differ. A colour field is never empty: the colour of the pages is none. */
function changed(part: Part, now: Organisation, { texts }: Draft): readonly SettingField[] {
  return fieldsOf(part).filter((one) => {
    const [before, after] = [textOf(one, now[one.name]), texts[one.name] ?? '']
    return before !== after && !(one.kind === 'colour' && before === '' && after === COLOUR)
  })
}

async function save(frame: Frame, part: Part): Promise<Screen | { readonly to: string }> {
  const t = settingTexts[frame.language]
  const { now, etag } = await read(frame)
  const draft = typedDraft(frame, part, now)
  const show = (problems: Problems) => settingPage(frame, { part, now, draft, problems })
  const differing = changed(part, now, draft)
  const wrong = mistakesOf(frame, differing, draft, t)
  if (hasProblems(wrong)) return show(wrong)
  if (draft.etag !== etag)
    return conflict(frame, { part, now, draft: { ...draft, etag }, problems: noProblems }, differing)
  const body = Object.fromEntries(differing.map((one) => [one.name, readValue(one, draft.texts[one.name] ?? '')]))
  try {
    await frame.api.call(organisation.change, { body, ifMatch: draft.etag })
    return { to: `${paths[part]}?saved=1` }
  } catch (error) {
    if (error instanceof ApiRefusal && error.status === 412) {
      const later = await read(frame)
      const mine = { ...draft, etag: later.etag }
      return conflict(
        frame,
        { part, now: later.now, draft: mine, problems: noProblems },
        changed(part, later.now, mine),
      )
    }
    return show(problemsOf(error, (pointer) => fieldAt(pointer, part)))
  }
}

function mistakesOf(frame: Frame, differing: readonly SettingField[], { texts }: Draft, t: SettingTexts): Problems {
  const wrong = differing.flatMap(({ name, kind }): readonly (readonly [string, string])[] => {
    const text = texts[name] ?? ''
    if (name === 'name' && text === '') return [[name, frame.t.required(t.labels.name)]]
    if (kind === 'formats' && text === '') return [['walletFormats-vc-sd-jwt', t.formatNeeded]]
    return kind === 'json' && text !== '' && !isJson(text) ? [[name, t.noJson]] : []
  })
  return { fields: Object.fromEntries(wrong) }
}

function isJson(text: string): boolean {
  try {
    parseJson(text)
    return true
  } catch {
    return false
  }
}

function fieldAt(pointer: string, part: Part): string | null {
  const [name] = stepsOf(pointer)
  return fieldsOf(part).find((one) => one.name === name)?.name ?? null
}

/** Both versions: what another person saved, and what was typed here. */
function conflict(frame: Frame, shown: Shown, differing: readonly SettingField[]): Screen {
  const t = settingTexts[frame.language]
  const both = bothVersions(t, paths[shown.part], {
    name: t.setting,
    differing,
    label: ({ name }) => t.labels[name],
    theirs: (one) => shownValue(frame, one, textOf(one, shown.now[one.name])),
    yours: (one) => shownValue(frame, one, shown.draft.texts[one.name] ?? ''),
  })
  return { ...settingPage(frame, { ...shown, conflict: both }), status: 412, hasErrors: true }
}

function settingPage(frame: Frame, shown: Shown): Screen {
  const { part, now, draft, problems } = shown
  const t = settingTexts[frame.language]
  const canWrite = may(frame, part === 'general' ? 'tenant:admin' : 'trust:write')
  const isFixed = (one: SettingField) => now.fixedMembers.includes(one.name)
  const editable = (one: SettingField) => canWrite && !isFixed(one)
  const sections = sectionsOf[part].map(([heading, fields]) => {
    const open = fields
      .filter(editable)
      .map((one) => control(frame, one, draft.texts[one.name] ?? '', problems.fields[one.name]))
    const closed = fields.filter((one) => !editable(one))
    const known = facts(closed.map((one) => [t.labels[one.name], fixedValue(frame, one, now, isFixed(one))]))
    return card(html`${closed.length > 0 && known}${open}`, t.sections[heading])
  })
  const hasFixed = fieldsOf(part).some(isFixed)
  const buttons = html`<div class="buttons">${button(frame.t.save, { look: 'main' })}${buttonLink(frame.t.cancel, '/console')}</div>`
  const content = html`${hidden('etag', draft.etag)}${sections}${buttons}`
  const notes = html`${problemList(frame.texts.problems, problems)}${shown.conflict}${frame.query.saved !== undefined && !hasProblems(problems) && message('done', t.saved)}${!canWrite && html`<p class="hint">${t.readOnly[part]}</p>`}${hasFixed && html`<p class="hint">${t.fixedText}</p>`}`
  return {
    title: part === 'general' ? t.title : t.policies,
    ...(part === 'policies' && { crumbs: [[t.title, paths.general], [t.policies]] as const }),
    main: html`${tabs(part, t)}<div class="narrow stack">${notes}${canWrite ? form(frame, paths[part], content) : html`<div class="stack">${sections}</div>`}</div>`,
    hasErrors: hasProblems(problems),
  }
}

function tabs(part: Part, t: SettingTexts): Html {
  const links = (['general', 'policies'] as const).map(
    (one) =>
      html`<a class="button plain" href="${paths[one]}"${one === part && html` aria-current="page"`}>${t.pages[one]}</a>`,
  )
  return html`<nav class="actions tabs" aria-label="${t.pagesLabel}">${links}</nav>`
}

function fixedValue(frame: Frame, one: SettingField, now: Organisation, isFixed: boolean): Html {
  const t = settingTexts[frame.language]
  const value = foreign(shownValue(frame, one, textOf(one, now[one.name])), 500)
  return isFixed ? html`${value}<br><span class="hint">${t.fixed}</span>` : value
}

/** The settings of the organisation. */
export const settingScreens: readonly Endpoint[] = [...settingScreen('general'), ...settingScreen('policies')]
