import { roles, scopes } from '../src/caller.ts'
import { auditActions, isPublicEvent, subjectKinds } from '../src/contract/events/vocabulary.ts'
import { faults } from '../src/fault.ts'

/** The public names, each kind of them in its order: an interface that clients and receivers depend on. */
export function listVocabulary() {
  const rows = Object.values(faults)
  return {
    eventTypes: Object.keys(auditActions).filter(isPublicEvent),
    auditActions: Object.keys(auditActions).filter((action) => !isPublicEvent(action)),
    subjectKinds: Object.keys(subjectKinds),
    scopes: Object.keys(scopes),
    roles: Object.keys(roles),
    errorCodes: [...new Set(rows.map(({ api }) => api[1]))].toSorted(),
    oauthErrors: [...new Set(rows.map(({ oauth }) => oauth[1]))].toSorted(),
  }
}

/** Kinds of the subjects of an action: its prefix, except where the names of OpenID4VC events are fixed. */
function subjectsOf(action: string): string {
  if (action === 'user.notification') return '`wallet_delivery`, `wallet_credential`'
  if (action.startsWith('openid4vc.issuance.')) return '`issuance`'
  if (action.startsWith('openid4vc.verification.')) return '`presentation_request`'
  return `\`${action.split('.')[0]}\``
}

function rolesTable(): string {
  return Object.entries(roles)
    .map(([name, { scopes, description }]) => {
      const given = scopes.map((scope) => `\`${scope}\``).join(', ')
      return `| \`${name}\` | ${given || '-'} | ${description} |`
    })
    .join('\n')
}

/** `docs/vocabulary.md`: every public name with one sentence. */
export function printVocabulary(): string {
  const { errorCodes, oauthErrors } = listVocabulary()
  const actions = Object.entries(auditActions)
  const tableOf = (rows: readonly (readonly [string, string])[]) =>
    rows.map(([action, sentence]) => `| \`${action}\` | ${subjectsOf(action)} | ${sentence} |`).join('\n')
  const listOf = (rows: Readonly<Record<string, string>>) =>
    Object.entries(rows)
      .map(([name, sentence]) => `| \`${name}\` | ${sentence} |`)
      .join('\n')
  const codesOf = (codes: readonly string[]) => codes.map((code) => `\`${code}\``).join(', ')
  return `# Vocabulary

Printed from the code by \`npm run docs\`; do not edit. These names are stable: names are added, and none is renamed, removed or given another meaning.
Ignore event types that you do not know. Resources are snake_case nouns, actions \`resource.past_participle\`; the names of the
\`openid4vc.*\` events, \`certificate.expiring\` and \`user.notification\` are fixed by the API contract.

## Event types

\`type\` of webhooks, of the event stream and of \`GET /creds/events\`, and \`action\` of the audit trail.

| Event type | \`subject.kind\` | When |
|---|---|---|
${tableOf(actions.filter(([action]) => isPublicEvent(action)))}

## Audit actions

Further values of \`action\` in \`GET /creds/audit\`. These are not sent as events.

| Action | \`subject.kind\` | When |
|---|---|---|
${tableOf(actions.filter(([action]) => !isPublicEvent(action)))}

## Subject kinds

| Kind | What it is |
|---|---|
${listOf(subjectKinds)}

## Scopes

| Scope | What it allows |
|---|---|
${listOf(scopes)}

## Roles

Users, groups and clients have roles; each gives its scopes. \`tenant:admin\` stands for every scope of the tenant except \`users:impersonate\`.
Every user has \`wallet:read\` and \`wallet:write\` for their own wallet. A caller gives only roles and scopes that it has itself.

| Role | Scopes | What it is for |
|---|---|---|
${rolesTable()}

## Error codes

[Codes](codes.md) says when each is used. Errors of the API: ${codesOf(errorCodes)}.

Errors of the protocol surface: ${codesOf(oauthErrors)}.
`
}
