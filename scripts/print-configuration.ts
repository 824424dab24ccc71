import { scopes } from '../src/caller.ts'
import { settings } from '../src/config.ts'

/** `docs/configuration.md`, from the table of settings. */
export function printConfiguration(): string {
  const rows = Object.values(settings).map(({ name, type: form, default: preset, description: says }) => {
    return `| \`${name}\` | ${form} | ${preset === null ? '' : `\`${preset}\``} | ${says} |`
  })
  return `# Configuration

Printed from \`src/config.ts\` by \`npm run docs\`; do not edit.

Every setting is an environment variable, read once at start. All mistakes are reported together, and no value is ever printed.

| Name | Form | Default | What it does |
|---|---|---|---|
${rows.join('\n')}

## Bootstrap file

\`BOOTSTRAP_FILE\` names a JSON file of tenants, their clients and their users. It is applied at every start and by \`chirograph apply FILE\`:
what is missing is made, what differs is changed, and what it does not mention stays. [bootstrap.example.json](bootstrap.example.json) is one;
without any tenant the server starts, but nobody can get a token from it.

| Member of \`tenants[]\` | What it is |
|---|---|
| \`slug\` | names the tenant in addresses: a-z, 0-9 and inner hyphens, at most 63. A wallet keeps it for good, so choose it well |
| \`name\` | what wallets and people are shown |
| \`settings\` | if wanted: \`issuerPolicy\`, from whom wallets take credentials: \`any\` (the default in development) or \`trusted\` (in production), which is the tenant itself and its trusted entities. \`verifierPolicy\`, whose presentation requests wallets answer: \`any\` (the default; what is shown to the person says whether the verifier is trusted) or \`trusted\`. \`walletFormats\`, what wallets take and show: a list of \`vc+sd-jwt\` (all that is open by default) and \`mso_mdoc\`. \`typeListing\`, whether \`GET /creds/types\` tells other organisations of its types: \`listed\` (the default) or \`unlisted\`; their metadata is public in any case |
| \`clients[]\` | who calls the API: \`clientId\`, \`scopes\`, and \`clientSecret\` (32 characters or more) or \`jwks\` (public keys for private_key_jwt) |
| \`users[]\` | people: \`username\`, and if wanted \`email\`, \`firstName\`, \`lastName\`, \`externalIdentifier\`, \`enabled\`, \`password\` |

Any secret may be \`{"env": "NAME"}\` instead of a text, and is then read from that environment variable.

| Scope | What it allows |
|---|---|
${Object.entries(scopes)
  .map(([name, says]) => `| \`${name}\` | ${says} |`)
  .join('\n')}
`
}
