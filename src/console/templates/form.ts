import { credentialTemplates } from '../../contract/issuance/credential-templates.ts'
import { hidden } from '../../pages/controls.ts'
import { fileForm } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { cardStyle } from '../../pages/look/credential-card.ts'
import { typed } from '../../pages/once.ts'
import { findingsOf, noProblems } from '../frame/form-values.ts'
import type { Frame } from '../frame/screen.ts'
import { designedPage, differingIn, isRedrawn, pressedIn } from '../resource/designed-page.ts'
import { type FormOf, ownForm } from '../resource/form.ts'
import { editRows } from './content/attribute-rows.ts'
import type { Template } from './content/template.ts'
import { cardOf, designerCards, labelWarning, lookIn } from './designer.ts'
import { blank, type Draft, draftOf, readDraft } from './draft.ts'
import { bodyOf } from './draft-body.ts'
import { plainText, templateFields } from './fields.ts'
import { faultsOf, placeOf } from './findings.ts'
import { readSources, type Sources } from './further-fields.ts'
import { imageIn } from './image-file.ts'
import { freeLocale } from './locales.ts'
import { saidIn } from './said.ts'
import { starts } from './starts.ts'
import { templateTexts } from './texts.ts'
import { usagePanel } from './usage.ts'

/** What is being edited. */
type Subject = {
  /** Null: something new. */
  readonly current: Template | null
  /** What is copied. */
  readonly copied?: Template | null
  /** Something new begins with it. */
  readonly start?: Draft
  readonly sources: Sources
  /** Above the form, and below the card. */
  readonly above?: Html
  readonly aside?: Html
}

/** Returns the form of a template, which is its page. */
export function formWith({ current, copied = null, start = blank, sources, above, aside }: Subject): FormOf<Draft> {
  const bodyWith = (draft: Draft) => bodyOf(draft, current ?? copied, current === null)
  const fixedType = current?.type ?? null
  const draw: FormOf<Draft>['draw'] = (frame, draft, problems) =>
    designerCards(frame, draft, problems, { fixedType, sources })
  return {
    blank: start,
    // What the API returned.
    saved: (row) => draftOf(row as Template),
    read: (fields, _, fileOf) => withFiles(readDraft(fields), fileOf),
    draw,
    body: bodyWith,
    more: (frame, draft) => edited(draft, pressedIn(frame), frame.language),
    again: () => noProblems,
    faults: (frame, draft) => ({ fields: { ...faultsOf(frame, draft).fields, ...filesIn(frame, draft) } }),
    refused: (frame, draft, error) => {
      const body = bodyWith(draft)
      return findingsOf(frame, error, (pointer) => placeOf(frame, pointer, draft, body))
    },
    differing: (frame, theirs, yours) => [
      ...templateFields.differing(frame, theirs.plain, yours.plain),
      ...differingIn(saidIn(frame, theirs), saidIn(frame, yours)),
    ],
    isSearching: () => false,
    page: (frame, { draft, ...shown }) => {
      const t = templateTexts[frame.language]
      const problems = { ...shown.problems, fields: { ...shown.problems.fields, ...filesIn(frame, draft) } }
      const page = designedPage(
        frame,
        { ...shown, problems, kept: html`${shown.kept}${copied !== null && hidden('copy', copied.id)}` },
        {
          cards: draw(frame, draft, problems, current === null),
          target: 'card',
          redraw: t.preview,
          above,
          formOf: fileForm,
          aside: html`<aside class="stack" aria-label="${t.card}">
            <div id="card">${cardWith(frame, draft)}</div>
            ${aside}
          </aside>`,
        },
      )
      return { ...page, style: cardStyle(lookIn(draft)) }
    },
    fragment: (frame, draft) => (isRedrawn(frame) ? cardWith(frame, draft) : null),
  }
}

/** What follows what is typed. */
function cardWith(frame: Frame, draft: Draft): Html {
  return html`${cardOf(frame, draft)}${labelWarning(frame, draft)}`
}

/** Reads what the form of a template needs. @param current Null: something new, perhaps from a copy. */
export async function templateForm(frame: Frame, current: Template | null) {
  const isSent = pressedIn(frame) !== ''
  const [copied, sources, aside] = await Promise.all([
    current === null ? copiedIn(frame) : null,
    isRedrawn(frame) ? { endpoints: null, providers: null } : readSources(frame),
    current === null || isSent ? undefined : usagePanel(frame, current),
  ])
  const isBegun = current !== null || copied !== null || isSent || frame.isKept
  return ownForm(
    formWith({
      current,
      copied,
      sources,
      start: startOf(frame, copied),
      ...(aside !== undefined && { aside }),
      ...(!isBegun && { above: startLinks(frame) }),
    }),
  )
}

async function copiedIn({ api, fields, query }: Frame): Promise<Template | null> {
  const id = typed(fields, 'copy') || (query.copy ?? '')
  return id === '' ? null : (await api.call(credentialTemplates.get, { params: { id } })).data
}

function startOf({ language, query }: Frame, copied: Template | null): Draft {
  const t = templateTexts[language]
  if (copied !== null) {
    const draft = draftOf(copied)
    return { ...draft, plain: { ...draft.plain, code: [''], name: [t.copyOf(copied.name)] } }
  }
  const { from = 'blank' } = query
  const isKnown = (name: string): name is keyof typeof starts => Object.hasOwn(starts, name)
  return starts[isKnown(from) ? from : 'blank'](t)
}

function startLinks({ language, query }: Frame): Html {
  const t = templateTexts[language]
  const links = Object.entries(t.starts).map(([from, text]) => {
    const isHere = (query.from ?? 'blank') === from
    const path = `/console/templates/new?from=${from}`
    return html`<a class="button plain" href="${path}"${isHere && html` aria-current="page"`}>${text}</a>`
  })
  return html`<nav class="tabs" aria-label="${t.startFrom}">${links}</nav>`
}

/** Files become part of the form, so that the next answer still has them. */
function withFiles(draft: Draft, fileOf: Frame['fileOf'] = () => null): Draft {
  const [logo, picture] = [imageIn(fileOf('logoFile')), imageIn(fileOf('pictureFile'))]
  return {
    ...draft,
    ...(logo !== null && 'uri' in logo && { logo: logo.uri }),
    ...(picture !== null && 'uri' in picture && { picture: picture.uri }),
    wrongFiles: {
      ...(logo !== null && 'problem' in logo && { logoFile: logo.problem }),
      ...(picture !== null && 'problem' in picture && { pictureFile: picture.problem }),
    },
  }
}

function filesIn({ language }: Frame, { wrongFiles }: Draft): Readonly<Record<string, string>> {
  const { image } = templateTexts[language]
  return Object.fromEntries(Object.entries(wrongFiles).map(([name, problem]) => [name, image[problem]]))
}

/** Returns the draft after a button, with where the person continues; null: it is saved. */
function edited(draft: Draft, pressed: string, language: Frame['language']): Draft | null {
  if (pressed === 'save') return null
  const { languages } = draft
  if (pressed === 'language') {
    const own = plainText(draft, 'locale') || language
    const added = { locale: freeLocale([own, ...languages.map((one) => one.locale)]), name: '', about: '' }
    const plain = { ...draft.plain, locale: [own] }
    return { ...draft, plain, languages: [...languages, added], at: { language: languages.length } }
  }
  if (pressed.startsWith('unlanguage-')) {
    const at = Number(pressed.slice('unlanguage-'.length))
    const rows = draft.rows.map((row) => ({ ...row, names: row.names.toSpliced(at, 1) }))
    return { ...draft, rows, languages: languages.toSpliced(at, 1), at: { language: at - 1 } }
  }
  const rows = editRows(draft.rows, pressed, draft.format === 'mdoc')
  return rows === null ? draft : { ...draft, rows: rows.rows, at: { row: rows.at } }
}
