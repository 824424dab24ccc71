import { type Caller, holds, type Role, roles } from '../../caller.ts'
import { Fault } from '../../fault.ts'

/**
 * Roles whose every scope the caller holds: only these may it give, and only users and groups without other roles may
 * it change. Otherwise a `user-admin` could become an owner, by a role, by a group, or by the e-mail address of an
 * owner.
 */
export function grantableRoles(caller: Pick<Caller, 'scopes'>): Role[] {
  // Object.keys loses the type of the keys.
  const names = Object.keys(roles) as Role[]
  return names.filter((name) => roles[name].scopes.every((scope) => holds(caller, scope)))
}

/** Checks that the caller may give the roles at `/roles` of a body. @throws Fault `role.above_caller` */
export function checkRoles(caller: Pick<Caller, 'scopes'>, wanted: readonly string[] = []): void {
  const allowed: readonly string[] = grantableRoles(caller)
  const violations = wanted.flatMap((role, index) => {
    const detail = `You cannot give the role ${role}: it gives more than you may do.`
    return allowed.includes(role) ? [] : [{ pointer: `/roles/${index}`, detail }]
  })
  if (violations.length > 0) throw new Fault('role.above_caller', { violations })
}
