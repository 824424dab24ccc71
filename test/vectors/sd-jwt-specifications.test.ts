import assert from 'node:assert/strict'
import { createHash, createPrivateKey, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'
import type { Json, JsonObject } from '../../src/crypto/json.ts'
import { softwareKey } from '../../src/crypto/signing-key.ts'
import { PathSet, type ValuePath } from '../../src/protocols/sd-jwt-vc/claim-path.ts'
import { presentSdJwt } from '../../src/protocols/sd-jwt-vc/present-sd-jwt.ts'
import { parseSdJwt } from '../../src/protocols/sd-jwt-vc/sd-jwt.ts'
import { verifyPresentation } from '../../src/protocols/sd-jwt-vc/verify-presentation.ts'
import { noon, noonSeconds } from '../support/sd-jwt.ts'

// The inputs from which the examples of RFC 9901, SD-JWT VC and OpenID4VP are made: another library issues them, our
// holder presents them.
type Specification = {
  readonly name: string
  readonly claims: JsonObject
  readonly selectivelyDisclosable: readonly ValuePath[]
  /** The claims that the holder discloses, as a tree of `true`. */
  readonly disclosed: Json
}

const file = new URL('data/sd-jwt/specifications.json', import.meta.url)
const { settings, specifications } = JSON.parse(readFileSync(file, 'utf8')) as {
  readonly settings: {
    readonly keys: { readonly issuer_keys: readonly JsonObject[]; readonly holder_key: JsonObject }
    readonly nonce: string
    readonly identifiers: { readonly issuer: string; readonly verifier: string }
  }
  readonly specifications: readonly Specification[]
}

const keyOf = (jwk: JsonObject) => createPrivateKey({ key: { ...jwk }, format: 'jwk' })
const issuerKey = keyOf(settings.keys.issuer_keys[0] ?? {})
const holder = softwareKey(keyOf(settings.keys.holder_key))
const { kty, crv, x, y } = settings.keys.holder_key
const oracle = new SDJwtVcInstance({
  signer: (text: string) =>
    sign('sha256', Buffer.from(text), { key: issuerKey, dsaEncoding: 'ieee-p1363' }).toString('base64url'),
  signAlg: 'ES256',
  hashAlg: 'sha-256',
  hasher: (text) =>
    createHash('sha256')
      .update(typeof text === 'string' ? text : new Uint8Array(text))
      .digest(),
  saltGenerator: () => crypto.randomUUID(),
})

type Frame = { _sd?: (string | number)[]; [name: string]: unknown }

/** The disclosable paths as the frame of the other library. */
function frameOf(paths: readonly ValuePath[]): Frame {
  const root: Frame = {}
  for (const path of paths) {
    let at = root
    for (const step of path.slice(0, -1)) {
      at[step] ??= {}
      at = at[step] as Frame
    }
    at._sd = [...(at._sd ?? []), ...path.slice(-1)]
  }
  return root
}

function leavesOf(tree: Json, at: ValuePath = []): ValuePath[] {
  if (tree === true) return [at]
  if (typeof tree !== 'object' || tree === null) return []
  const isList = Array.isArray(tree)
  return Object.entries(tree).flatMap(([step, value]) => leavesOf(value, [...at, isList ? Number(step) : step]))
}

function isIn(claims: Json | undefined, [step, ...rest]: ValuePath): boolean {
  if (step === undefined) return claims !== undefined
  return typeof claims === 'object' && claims !== null && isIn((claims as JsonObject)[step], rest)
}

/** The claims without those that are selectively disclosable and not disclosed. */
function shownOf(value: Json, hidden: ReadonlySet<string>, at: ValuePath = []): Json {
  const kept = (step: string | number) => !hidden.has(JSON.stringify([...at, step]))
  if (Array.isArray(value))
    return value.flatMap((one, index) => (kept(index) ? [shownOf(one, hidden, [...at, index])] : []))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value as JsonObject).filter(([name]) => kept(name))
  return Object.fromEntries(members.map(([name, one]) => [name, shownOf(one, hidden, [...at, name])]))
}

for (const { name, claims, selectivelyDisclosable, disclosed } of specifications) {
  test(`${name}: our holder discloses what the specification says, and nothing else`, async () => {
    const { nonce, identifiers } = settings
    const own = { iss: identifiers.issuer, iat: noonSeconds, vct: 'urn:example', cnf: { jwk: { kty, crv, x, y } } }
    // The types of the library require a payload and a frame of static types.
    const issued = await oracle.issue(
      { ...own, ...claims, cnf: own.cnf } as never,
      frameOf(selectivelyDisclosable) as never,
    )
    const paths = leavesOf(disclosed).filter((path) => isIn(claims, path))
    const binding = { nonce, aud: identifiers.verifier, iat: noon, key: holder }
    const shown = parseSdJwt(await presentSdJwt(parseSdJwt(issued), paths, binding))
    const policy = { now: noon, keyBinding: 'required', nonce, aud: identifiers.verifier } as const
    const verified = verifyPresentation(shown, { ...policy, issuerKey: softwareKey(issuerKey).publicJwk })
    const chosen = new PathSet(paths)
    const hidden = selectivelyDisclosable.filter((path) => !chosen.touches(path)).map((path) => JSON.stringify(path))
    const expected = shownOf(claims, new Set(hidden))
    assert.deepEqual(verified.findings, [])
    assert.deepEqual(verified.claims, { ...own, ...(expected as JsonObject), cnf: own.cnf })
    assert.ok(selectivelyDisclosable.length > 0)
  })
}
