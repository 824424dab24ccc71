const LONG = 'Bank'.repeat(48)

/**
 * Texts of strangers that must do no harm where they are shown: by what they try. Each is at most 200 characters long,
 * so that a name may be one.
 */
export const hostileNames: Readonly<Record<string, string>> = {
  markup: '<script>document.title="owned"</script><img src=x onerror="document.title=1">',
  attribute: `" onmouseover="document.title='owned'" x="`,
  entity: '&lt;b&gt;bold&lt;/b&gt;',
  template: '$' + '{document.title="owned"} {{7*7}}',
  'right-to-left override': 'Trusted \u202eknaB laniduH\u202c Bank',
  'isolates without an end': 'Bank \u2066\u2067\u2068 of the Cape',
  'zero width': 'B\u200ba\u200cn\u200dk\ufeff\u2060',
  controls: 'Bank\u0007\u001b[31m of\u0085the\u2028Cape',
  'marks on marks': `B${'\u0300\u0301\u0302\u0303\u0304\u0305'.repeat(20)}ank`,
  'one long word': LONG,
  'right to left': 'بنك الجنوب',
  spaces: `A${'\u00a0'.repeat(80)}B`,
  'half a character': 'Bank \ud83c',
  address: 'javascript:alert(document.domain)',
  'line ends and a NUL': 'Bank\n\r\tof\0the Cape',
  formula: '=1+cmd()',
}

/** What a spreadsheet takes for the beginning of a formula. */
export const formulaSigns = ['=', '+', '-', '@', '\t=', '\r='] as const

/** Whether a spreadsheet takes a cell for a formula. */
export function isFormula(cell: string): boolean {
  return /^[=+\-@\t\r]/.test(cell) && Number.isNaN(Number(cell))
}

/** Whether a text has characters that no page may send to a browser, since they change how other text reads. */
export function isUnsendable(text: string): boolean {
  // Line feeds, tabs and the joiners inside of emoji and scripts are not at issue here.
  return /[^\n\t\P{Cc}]|[\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u.test(text)
}
