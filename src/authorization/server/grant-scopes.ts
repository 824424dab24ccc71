import { holds, isScope, type Scope } from '../../caller.ts'
import { Fault } from '../../fault.ts'

/**
 * Returns the scopes of a token: those requested, or all allowed ones by default.
 *
 * @param allowed Scopes of the client or the user. `tenant:admin` includes the tenant's other scopes.
 * @throws Fault `scope.invalid` if more are requested, or none is left.
 * @see [RFC 6749, 3.3](https://www.rfc-editor.org/rfc/rfc6749#section-3.3)
 */
export function grantScopes(requested: string | undefined, allowed: readonly Scope[]): Scope[] {
  const named =
    requested === undefined || requested === '' ? [...allowed] : requested.split(' ').filter((one) => one !== '')
  const granted = [...new Set(named)].filter(isScope).filter((one) => holds({ scopes: new Set(allowed) }, one))
  if (granted.length < new Set(named).size) {
    throw new Fault('scope.invalid', { detail: `The allowed scopes are: ${allowed.join(' ')}.` })
  }
  if (granted.length === 0) throw new Fault('scope.invalid', { detail: 'The client has no scopes.' })
  return granted
}
