import type { TenantSettings } from '../../contract/directory/settings.ts'
import type { Violation } from '../../fault.ts'
import { isReadableAccent } from '../../pages/look/accent.ts'

/** Returns what is wrong with settings that match their schema. Pointers start at the settings. */
export function settingMistakes({ accentColor, timeZone, supportAddress }: TenantSettings): readonly Violation[] {
  const mistakes: Violation[] = []
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

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
