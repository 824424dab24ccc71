import { checkbox, fileField, hidden, select } from '../../pages/controls.ts'
import { field } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { button } from '../../pages/parts.ts'
import type { Problems } from '../frame/form-values.ts'
import type { Frame } from '../frame/screen.ts'
import { closedFields } from '../resource/designed-page.ts'
import type { Draft } from './draft.ts'
import { templateFields } from './fields.ts'
import { localeChoices, localeName } from './locales.ts'
import { lookTold } from './said.ts'
import { templateTexts } from './texts.ts'

/** Returns the fields for colours and pictures: open is that for the colour of the card. */
export function lookFields(frame: Frame, draft: Draft, problems: Problems): Html {
  const one = (name: string) => templateFields.field(frame, draft.plain, problems, name)
  const more = html`${one('ink')}
  ${image(frame, draft, problems, 'logo')}
  ${draft.logo !== '' && one('logoText')}
  ${image(frame, draft, problems, 'picture')}`
  return html`${one('back')}
  ${closedFields(templateTexts[frame.language].moreLook, lookTold(frame, draft), more, problems)}`
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
  const one = (name: string) => templateFields.field(frame, draft.plain, problems, name)
  const others = draft.languages.map((_, place) => languageOf(frame, draft, problems, place))
  const add = others.length < 7 && html`<div>${button(t.addLanguage, { name: 'do', value: 'language' })}</div>`
  return html`${hidden('languages', String(others.length))}
  ${one('locale')}${one('cardName')}${one('cardAbout')}${others}${add}`
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
