import { type Fields, Upload } from '../../http/routes/endpoint.ts'
import { checkbox, fileField, hidden } from '../../pages/controls.ts'
import { field } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { logoPathOf } from '../../pages/look/organisation.ts'
import { typed } from '../../pages/once.ts'
import type { Frame } from '../frame/screen.ts'
import { type FormField, type Labelled, type Typed, text, textIn } from '../resource/fields.ts'
import { imageIn } from '../templates/image-file.ts'
import { settingTexts } from './texts.ts'

const ADDRESS_CHARS_MAX = 2000

/**
 * The logo of the organisation: a file, or an address. It holds the picture as `data:` URI or the address, and behind
 * it why the file is no picture.
 */
export const logoField: FormField = {
  ...text(),
  draw,
  read,
  words: (frame, now) => (isPicture(frame, textIn(now)) ? settingTexts[frame.language].logo.kept : textIn(now)),
  fault: ({ language }, [, problem]) => {
    const t = settingTexts[language].logo
    return problem === 'large' || problem === 'kind' ? t[problem] : null
  },
}

/** Whether it is a picture that was chosen now, or one that this server keeps. */
function isPicture(frame: Frame, uri: string): boolean {
  return uri.startsWith('data:') || keptPath(frame, uri) !== null
}

function keptPath({ me, origin }: Frame, logoUri: string): string | null {
  const path = logoPathOf({ slug: me.organisation.slug, logoUri }, { publicUrl: origin })
  return logoUri === `${origin}${path}` ? path : null
}

/** A picture stays in the form, so that it need not be chosen again where the form is shown again. */
function draw(frame: Frame, { name, hint = '', ...one }: Labelled, now: Typed): Html {
  const t = settingTexts[frame.language].logo
  const uri = textIn(now)
  const file = fileField(frame, { ...one, name, hint, accept: 'image/png,image/jpeg,image/svg+xml' })
  if (isPicture(frame, uri)) {
    const off = checkbox({ name: `${name}-none`, label: t.none, isOn: false })
    const image = html`<img src="${keptPath(frame, uri) ?? uri}" alt="${one.label}">`
    return html`${file}${hidden(`${name}-kept`, uri)}<div class="picked">${image}${off}</div>`
  }
  const address = field(frame, {
    name: `${name}-address`,
    label: t.address,
    hint: t.addressHint,
    value: uri,
    type: 'url',
    isOptional: true,
    lengthMax: ADDRESS_CHARS_MAX,
  })
  return html`${file}<details${uri !== '' && html` open`}><summary>${t.address}</summary>${address}</details>`
}

function read(fields: Fields, name: string): Typed {
  const image = imageIn(fields instanceof Upload ? (fields.files.get(name) ?? null) : null)
  if (image !== null && 'uri' in image) return [image.uri]
  const isRemoved = typed(fields, `${name}-none`) !== ''
  const before = isRemoved ? '' : typed(fields, `${name}-kept`)
  const uri = before === '' ? typed(fields, `${name}-address`) : before
  return image === null ? [uri] : [uri, image.problem]
}
