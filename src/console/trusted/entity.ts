import { trustedEntities } from '../../contract/trust/trusted-entities.ts'
import { isJsonObject, type Json, type JsonObject } from '../../crypto/json.ts'
import { choicesIn } from '../../pages/controls.ts'
import type { Frame } from '../frame/screen.ts'
import { area, lines, linesIn, text, textIn, ticks } from '../resource/fields.ts'
import { resourceForm } from '../resource/form.ts'
import { pemLines } from './pem-lines.ts'
import { trustedTexts } from './texts.ts'

/** One DID a line, and after a space what it is called. */
const dids = area({
  rows: 2,
  fill: (all) => (Array.isArray(all) ? all.map((one) => lineOf(isJsonObject(one) ? one : {})).join('\n') : ''),
  give: (content) => linesIn(content).map(([, line]) => didIn(line)),
})

function lineOf({ did, name = '' }: JsonObject): string {
  return `${did} ${name}`.trim()
}

function didIn(line: string): Json {
  const [did = '', ...words] = line.split(/\s+/)
  return { did, ...(words.length > 0 && { name: words.join(' ') }) }
}

/** PEM blocks, one after another. */
const certificates = area({
  rows: 8,
  isCode: true,
  fill: (all) => (Array.isArray(all) ? all.join('') : ''),
  give: (content) => pemLines(content).blocks.map((one) => one.text),
  fault: ({ language }, now) => {
    const [fault] = pemLines(textIn(now)).faults
    return fault === undefined ? null : trustedTexts[language].pem[fault.rule](fault.line)
  },
  place: ({ language }, now, [index], why) => {
    const block = pemLines(textIn(now)).blocks[Number(index)]
    return block === undefined ? why : trustedTexts[language].pem.at(block.first, block.last, why)
  },
})

/** The form of a trusted entity. */
export const entityForm = resourceForm(trustedEntities, trustedTexts, {
  name: text(),
  purposes: ticks(purposeChoices, ['issuer'], { isNeeded: true }),
  issuers: lines(),
  dids,
  certificates,
  signerUsages: lines({ rows: 1 }),
})

function purposeChoices({ language }: Frame) {
  return choicesIn(trustedTexts[language].purpose)
}
