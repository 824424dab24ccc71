import { checkbox, fileField, hidden, select } from '../../pages/controls.ts'
import { field } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { button } from '../../pages/parts.ts'
import type { Problems } from '../frame/form-values.ts'
import type { Frame } from '../frame/screen.ts'
import type { Draft } from './content/draft.ts'
import { furtherTexts } from './further-texts.ts'
import { localeChoices, localeName } from './locales.ts'
import { templateTexts } from './texts.ts'

/** Returns the fields for colours and pictures. */
export function lookFields(frame: Frame, draft: Draft, problems: Problems): Html {
  const t = templateTexts[frame.language]
  const colour = (name: 'back' | 'ink') =>
    field(frame, { name, label: t[name], type: 'color', value: draft[name], error: problems.fields[name] })
  const logoText = field(frame, {
    name: 'logoText',
    label: t.logoText,
    value: draft.logoText,
    isOptional: true,
    lengthMax: 200,
    error: problems.fields.logoText,
  })
  return html`<div class="pair">${colour('back')}${colour('ink')}</div>
  ${image(frame, draft, problems, 'logo')}
  ${draft.logo !== '' && logoText}
  ${image(frame, draft, problems, 'picture')}`
}

/** A picture in a file is kept in the form; one at an address is not drawn here. */
function image(frame: Frame, draft: Draft, { fields }: Problems, name: 'logo' | 'picture'): Html {
  const t = templateTexts[frame.language]
  const uri = draft[name]
  const file = fileField(frame, {
    name: `${name}File`,
    label: t[name],
    hint: t.imageHint,
    isOptional: true,
    error: fields[`${name}File`],
    accept: 'image/png,image/jpeg,image/svg+xml',
  })
  const off = checkbox({ name: `${name}Off`, label: t[`${name}Off`], isOn: false })
  if (uri.startsWith('data:'))
    return html`${file}${hidden(name, uri)}<div class="picked"><img src="${uri}" alt="${t[name]}">${off}</div>`
  const address = field(frame, {
    name,
    label: t[`${name}Address`],
    hint: t.addressHint,
    value: uri,
    type: 'url',
    isOptional: true,
    lengthMax: 2000,
    error: fields[name],
  })
  const isOpen = uri !== '' || fields[name] !== undefined
  return html`${file}<details${isOpen && html` open`}><summary>${t[`${name}Address`]}</summary>${address}</details>`
}

/** Returns the fields for the language of the texts, and for further ones. */
export function languageFields(frame: Frame, draft: Draft, problems: Problems): Html {
  const t = templateTexts[frame.language]
  const choices = [{ value: '', text: t.localeNone }, ...localeChoices(draft.locale, frame.language)]
  const own = select(frame, {
    name: 'locale',
    label: t.locale,
    hint: t.localeHint,
    value: draft.locale,
    choices,
    error: problems.fields.locale,
  })
  const f = furtherTexts[frame.language]
  const cardName = { name: 'cardName', label: f.cardName, hint: f.cardNameHint, value: draft.cardName, lengthMax: 200 }
  const cardAbout = { name: 'cardAbout', label: f.cardAbout, value: draft.cardAbout, lengthMax: 1000 }
  const texts = [cardName, cardAbout].map((one) =>
    field(frame, { ...one, isOptional: true, error: problems.fields[one.name] }),
  )
  const others = draft.languages.map((_, place) => languageOf(frame, draft, problems, place))
  const add = others.length < 7 && html`<div>${button(t.addLanguage, { name: 'do', value: 'language' })}</div>`
  return html`${hidden('languages', String(others.length))}${own}${texts}${others}${add}`
}

function languageOf(frame: Frame, draft: Draft, { fields }: Problems, at: number): Html {
  const t = templateTexts[frame.language]
  const { locale = '', name = '', about = '' } = draft.languages[at] ?? {}
  const called = localeName(locale, frame.language)
  const text = (id: string, label: string, value: string, lengthMax: number) =>
    field(frame, { name: `${id}-${at}`, label, value, isOptional: true, lengthMax, error: fields[`${id}-${at}`] })
  const which = select(frame, {
    name: `locale-${at}`,
    label: t.inLanguage,
    value: locale,
    choices: localeChoices(locale, frame.language),
    error: fields[`locale-${at}`],
  })
  return html`<fieldset class="attribute"${draft.at.language === at && html` tabindex="-1" autofocus`}>
    <legend class="hint">${t.language(at + 1)}</legend>
    ${which}
    ${text('lname', t.nameIn(called), name, 200)}
    ${text('labout', t.aboutIn(called), about, 1000)}
    <div class="tools">
      <span class="ticks"></span>
      <button type="submit" class="button plain" name="do" value="unlanguage-${at}"
        aria-label="${t.removeRow}: ${called}" title="${t.removeRow}">×</button>
    </div>
  </fieldset>`
}
