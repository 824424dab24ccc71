/** Names that SD-JWT uses for itself; no attribute may have one, however deep it stands. */
const structural: ReadonlySet<string> = new Set(['_sd', '...', '_sd_alg', '__proto__'])

/** Claims that the issuer writes by itself and that are never attributes. */
const registered: ReadonlySet<string> = new Set([
  'iss',
  'sub',
  'aud',
  'nbf',
  'exp',
  'iat',
  'cnf',
  'vct',
  'vct#integrity',
  'aka_vcts',
  'status',
])

/** Claims of an SD-JWT VC that are in the clear with everything in them. `iat` and `sub` may be disclosable. */
const alwaysClear: ReadonlySet<string> = new Set(
  ['iss', 'nbf', 'exp', 'cnf', 'vct', 'vct#integrity', 'aka_vcts', 'status'], // [VC-2]
)

/**
 * Whether an attribute of a template may not have this name [SD-13].
 *
 * @param nested The attribute is inside another one, where only the names of SD-JWT itself are reserved.
 */
export function isReservedName(name: string, nested = false): boolean {
  return structural.has(name) || (!nested && registered.has(name))
}

/** Whether a disclosure may not have this name, at any level. @see RFC 9901, 4.2.1 and 7.1 (3.c.ii) */
export function isStructuralName(name: string): boolean {
  return structural.has(name)
}

/** Whether a top-level claim, and whatever is in it, must not come from a disclosure. */
export function isAlwaysClear(name: string): boolean {
  return alwaysClear.has(name)
}

/** Whether a top-level claim belongs to the credential itself and is not something that it says about its subject. */
export function isControlClaim(name: string): boolean {
  return name === 'iat' || structural.has(name) || alwaysClear.has(name)
}
