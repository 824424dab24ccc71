import type { TenantSettings } from '../../contract/directory/settings.ts'
import type { Violation } from '../../fault.ts'
import { isReadableAccent } from '../../pages/look/accent.ts'
import { imageInDataUri } from '../../protocols/image.ts'

/** Of the address of a logo. */
const URI_CHARS_MAX = 2000
/** The characters of an address. [RFC 3986, 2] */
const URI = /^[\w:/?#[\]@!$&'()*+,;=.~%-]+$/

/** Returns what is wrong with settings that match their schema. Pointers start at the settings. */
export function settingMistakes(settings: TenantSettings): readonly Violation[] {
  const { logoUri, accentColor, timeZone, supportAddress } = settings
  const mistakes: Violation[] = []
  if (logoUri !== undefined && !isLogo(logoUri)) {
    const detail = 'It is neither an address nor a PNG, JPEG or SVG of at most 64 KiB and 2,000 pixels a side.'
    mistakes.push({ detail, pointer: '/logoUri', rule: 'organisation.logo' })
  }
  if (accentColor !== undefined && !isReadableAccent(accentColor)) {
    const detail = 'Text in this colour cannot be read on light paper (contrast below 4.5:1). Choose a darker one.'
    mistakes.push({ detail, pointer: '/accentColor', rule: 'organisation.colour' })
  }
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    const detail = 'It is not a time zone of the IANA database.'
    mistakes.push({ detail, pointer: '/timeZone', rule: 'organisation.time_zone' })
  }
  if (supportAddress?.startsWith('https:') === true && !URL.canParse(supportAddress)) {
    const detail = 'It is neither an e-mail address nor an https URL.'
    mistakes.push({ detail, pointer: '/supportAddress', rule: 'organisation.support_address' })
  }
  return mistakes
}

function isLogo(uri: string): boolean {
  if (uri.startsWith('data:')) return imageInDataUri(uri) !== null
  return uri.length <= URI_CHARS_MAX && URI.test(uri) && URL.canParse(uri)
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
