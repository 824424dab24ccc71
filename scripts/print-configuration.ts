import { settings } from '../src/config.ts'

/** `docs/configuration.md`, from the table of settings. */
export function printConfiguration(): string {
  const rows = Object.values(settings).map(({ name, form, preset, says }) => {
    return `| \`${name}\` | ${form} | ${preset === null ? '' : `\`${preset}\``} | ${says} |`
  })
  return `# Configuration

Printed from \`src/config.ts\` by \`npm run docs\`; do not edit.

Every setting is an environment variable, read once at start. All mistakes are reported together, and no value is ever printed.

| Name | Form | Default | What it does |
|---|---|---|---|
${rows.join('\n')}

## Bootstrap file

\`BOOTSTRAP_FILE\` names a JSON file of tenants, their clients and their users. It is applied at every start and by \`chirograph apply FILE\`;
applying it again changes nothing that it does not say. Any secret may be \`{"env": "NAME"}\` instead of a text, and is then read from that
environment variable. [bootstrap.example.json](bootstrap.example.json) shows its form.
`
}
