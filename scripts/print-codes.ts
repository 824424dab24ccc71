import { checkMeanings } from '../src/contract/verification/checks.ts'
import { pathFindingMessages } from '../src/crypto/x509-path/path-findings.ts'
import { faults } from '../src/fault.ts'
import { mdocFindingMessages } from '../src/protocols/mdoc/findings.ts'
import { findingMessages } from '../src/protocols/sd-jwt-vc/findings.ts'
import { trustFindingMessages } from '../src/trust/lookups/finding.ts'
import { issueMessages } from '../src/verification/findings/finding.ts'

/** Codes of findings that only a wallet makes, on receipt. */
const walletFindings = {
  'batch.differs': 'The copies of a credential have different claims.',
  'claim.too_long': 'The type or the issuer is too long for a wallet.',
  'cnf.unexpected': 'The credential is not bound to a key of the request.',
}

/** Returns `docs/codes.md`: every error code and finding code. */
export function printCodes(): string {
  const rows = Object.values(faults)
  const findings = {
    ...findingMessages,
    ...mdocFindingMessages,
    ...trustFindingMessages,
    ...pathFindingMessages,
    ...issueMessages,
    ...walletFindings,
  }
  return `# Codes

Printed from the code by \`npm run docs\`; do not edit. Codes are stable; sentences may change. Codes may be added: handle an unknown one
by its HTTP status.

## Errors of the API

\`errors[].code\`, with the titles it may have.

| Status | Code | Title |
|---|---|---|
${tableOf(rows.map(({ api, title }) => ({ status: api[0], code: api[1], title })))}

## Errors of the protocol surface

\`error\` in the answers to wallets, verifiers and OAuth clients.

| Status | Code | When |
|---|---|---|
${tableOf(rows.map(({ oauth, title }) => ({ status: oauth[0], code: oauth[1], title })))}

## Findings about credentials

\`code\` in \`issues[]\` of a presentation result, in \`findings[]\` of a refused credential (\`errors[].meta\`), and in \`error.code\` of a presentation.

| Code | Sentence |
|---|---|
${Object.entries(findings)
  .toSorted(([one], [other]) => (one < other ? -1 : 1))
  .map(([code, sentence]) => `| \`${code}\` | ${sentence} |`)
  .join('\n')}

## Checks of a presented credential

\`code\` in \`checks[]\` of a presentation result, in this order. The outcome is \`passed\`, \`warning\`, \`failed\`, \`not_asked\` (the template or the
credential has nothing to check) or \`not_checked\` (an earlier check failed).

| Code | Passed if |
|---|---|
${Object.entries(checkMeanings)
  .map(([code, meaning]) => `| \`${code}\` | ${meaning} |`)
  .join('\n')}
`
}

type Line = { readonly status: number; readonly code: string; readonly title: string }

/** One line a status, code and title, in their order. */
function tableOf(lines: readonly Line[]): string {
  const rows = lines.map(({ status, code, title }) => `| ${status} | \`${code}\` | ${title} |`)
  return [...new Set(rows)].toSorted().join('\n')
}
