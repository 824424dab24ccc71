import { holds, isScope, type Scope } from '../../caller.ts'
import { Fault } from '../../fault.ts'

/**
 * The scopes that a token gets: what was asked for, or all that may be had if nothing was asked for.
 *
 * @param allowed What the client, or the user, may have. `tenant:admin` allows to ask for less.
 * @throws Fault `scope.invalid` if more was asked for, or nothing is left.
 * @see [RFC 6749, 3.3](https://www.rfc-editor.org/rfc/rfc6749#section-3.3)
 */
export function grantScopes(asked: string | undefined, allowed: readonly Scope[]): Scope[] {
  const named = asked === undefined || asked === '' ? [...allowed] : asked.split(' ').filter((one) => one !== '')
  const granted = [...new Set(named)].filter(isScope).filter((one) => holds({ scopes: new Set(allowed) }, one))
  if (granted.length < new Set(named).size) {
    throw new Fault('scope.invalid', { detail: `Scopes may be asked for within: ${allowed.join(' ')}.` })
  }
  if (granted.length === 0) throw new Fault('scope.invalid', { detail: 'The client has no scopes.' })
  return granted
}
