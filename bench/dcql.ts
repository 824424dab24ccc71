// How long does one evaluation of a DCQL query take, ours against the dcql package? Run: node bench/dcql.ts
import { cpus } from 'node:os'
import { type DcqlSdJwtVcCredential, DcqlQuery as Library } from 'dcql'
import type { DcqlCredential } from '../src/protocols/dcql/match.ts'
import { parseQuery } from '../src/protocols/dcql/parse-query.ts'
import { selectCredentials } from '../src/protocols/dcql/select-credentials.ts'

const TYPE = 'https://credentials.example.com/identity_credential'
const HELD = 20
const query = {
  credentials: [
    {
      id: 'pid',
      format: 'dc+sd-jwt' as const,
      meta: { vct_values: [TYPE] as [string] },
      claims: [
        { id: 'a', path: ['family_name'] },
        { id: 'b', path: ['nationalities', null], values: ['ZA'] },
        { id: 'c', path: ['address', 'locality'] },
      ],
      claim_sets: [
        ['a', 'b', 'c'],
        ['a', 'c'],
      ],
    },
  ],
}
const claims = { family_name: 'Dent', nationalities: ['GB', 'ZA'], address: { locality: 'Milliways' } }
const ours = Array.from({ length: HELD }, (_, i): DcqlCredential => {
  return { format: 'dc+sd-jwt', type: i % 2 === 0 ? TYPE : 'other', claims, holderBound: true }
})
const theirs = ours.map(({ type, claims }) => {
  return {
    credential_format: 'dc+sd-jwt',
    vct: type,
    claims,
    cryptographic_holder_binding: true,
  } as DcqlSdJwtVcCredential
})
const parsedByUs = parseQuery(query)
const parsedByThem = Library.parse(query as unknown as Parameters<typeof Library.parse>[0])

function medianMicroseconds(run: () => unknown): number {
  for (let i = 0; i < 300; i++) run()
  const rounds = Array.from({ length: 9 }, () => {
    const from = process.hrtime.bigint()
    for (let i = 0; i < 300; i++) run()
    return Number(process.hrtime.bigint() - from) / 300 / 1000
  })
  return rounds.sort((a, b) => a - b)[4] ?? Number.NaN
}

console.log(
  `${cpus()[0]?.model}, Node ${process.version}; ${HELD} credentials held, half of the requested type; medians in us`,
)
console.table({
  'parse and validate': {
    ours: medianMicroseconds(() => parseQuery(query)),
    dcql: medianMicroseconds(() =>
      Library.validate(Library.parse(query as unknown as Parameters<typeof Library.parse>[0])),
    ),
  },
  evaluate: {
    ours: medianMicroseconds(() => selectCredentials(parsedByUs, ours)),
    dcql: medianMicroseconds(() => Library.query(parsedByThem, theirs)),
  },
})
